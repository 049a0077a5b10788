import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { placePaths } from '#shared/place.ts';
import { formPaths } from '#shared/place-forms.ts';
import { CARDS, type Deed } from './life.ts';
import type { Person } from './people.ts';
import {
  formOf,
  newestLink,
  openPlace,
  type Place,
  pageAt,
  press,
  Refused,
  sendForm,
} from './place-browser.ts';
import { nameOf, payByCard, type Registrant, storeCard, typeCard } from './register.ts';
import type { YearStage } from './stage.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 200;

/**
 * Does something on her page as her browser does, through the link in her newest letter. She retries what
 * fails; after a refusal she opens the page again, and gives up once the page no longer offers the deed.
 */
export async function deedOnPage(deed: DeedOnPage, registrant: Registrant, stage: YearStage): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  let cause: unknown;
  for (; Date.now() < deadline; await pause(RETRY_MS)) {
    try {
      if (await tryDeed(deed, registrant, stage)) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`${nameOf(registrant)} could not ${deed.does}`, { cause });
}

type DeedOnPage = Exclude<Deed, { does: 'office' | 'dispute' | 'settle-refunds' }>;

/**
 * Whether it is done, or the page does not offer it: the effect of her press shows when the page is opened
 * again.
 */
async function tryDeed(deed: DeedOnPage, registrant: Registrant, stage: YearStage): Promise<boolean> {
  const { person } = registrant;
  if (deed.does === 'new-address') return askForAddress(deed.corrects, registrant, stage);
  const place = await openPlace(registrant, stage);
  switch (deed.does) {
    case 'pay-now':
      return payNow(person, deed.card ?? 'other', stage, place);
    case 'new-card':
      return changeCard(registrant, stage, place);
    case 'cancel':
      return sendForm(
        formPaths.cancel,
        { proof: person.postalCode },
        await pageAt(formPaths.cancel, place, stage),
        stage,
      );
    case 'undo':
      return sendForm(formPaths.undo, {}, place, stage);
  }
}

/** Asks for another address, and confirms it through the link in the letter to that address. */
async function askForAddress(email: string, registrant: Registrant, stage: YearStage): Promise<boolean> {
  const link = newestLink(registrant, stage, 'confirm');
  if (link) {
    try {
      const page = await pageAt(new URL(link).pathname, { cookie: '' }, stage);
      return await sendForm(formPaths.addressConfirmed, {}, page, stage);
    } catch (error) {
      // The link works only once, so a refusal means that it has worked.
      if (error instanceof Refused && error.status === 403) return true;
      throw error;
    }
  }
  const place = await openPlace(registrant, stage);
  // If she asked twice, the link in the first letter would not work.
  if (!place.html.includes(`action="${formPaths.addressDropped}"`)) {
    const form = await pageAt(formPaths.address, place, stage);
    await sendForm(formPaths.address, { email, proof: registrant.person.postalCode }, form, stage);
  }
  return false;
}

const paySchema = v.object({ clientSecret: v.string(), cents: v.number() });

/** Whether she is done: it is paid, or there is nothing to pay. */
async function payNow(
  person: Person,
  cardName: keyof typeof CARDS,
  stage: YearStage,
  place: Place,
): Promise<boolean> {
  const form = formOf(place, 'pay');
  if (!form) return true;
  const card = await typeCard(stage, person, CARDS[cardName]);
  const { clientSecret } = v.parse(paySchema, await press(placePaths.pay, form, place, stage));
  return payByCard(stage, clientSecret, card);
}

const cardSchema = v.object({ clientSecret: v.string() });

async function changeCard({ person }: Registrant, stage: YearStage, place: Place): Promise<boolean> {
  const form = formOf(place, 'card');
  if (!form) return true;
  const { token } = form;
  const card = await typeCard(stage, person, CARDS.other);
  const proven = { token, proof: person.postalCode };
  const { clientSecret } = v.parse(cardSchema, await press(placePaths.card, proven, place, stage));
  const setupIntent = await storeCard(stage, clientSecret, card);
  // Reports the stored card to the site until it answers: starting over would count as another attempt to
  // prove herself.
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await pause(RETRY_MS)) {
    const told = await press(placePaths.cardStored, { token, setupIntent }, place, stage).catch(() => 'lost');
    if (told !== 'lost') return true;
  }
  return false;
}
