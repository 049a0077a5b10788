import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { PLACE_PATH, placePaths } from '#shared/place.ts';
import { formPaths } from '#shared/place-forms.ts';
import { CARDS, type Deed } from './life.ts';
import type { Person } from './people.ts';
import { nameOf, payByCard, type Registrant, storeCard, typeCard } from './register.ts';
import type { YearStage } from './stage.ts';

const PATIENCE_MS = 120_000;
const AGAIN_MS = 200;
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Does something on her page as her browser does, by the link of her newest letter. What fails she tries again; what is
 * refused she looks at again, and gives up once the page offers it no more.
 */
export async function deedOnPage(deed: DeedOnPage, registrant: Registrant, stage: YearStage): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let cause: unknown;
  for (; Date.now() < deadline; await pause(AGAIN_MS)) {
    try {
      if (await tryDeed(deed, registrant, stage)) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`${nameOf(registrant)} could not ${deed.does}`, { cause });
}

type DeedOnPage = Exclude<Deed, { does: 'office' | 'dispute' | 'settle-refunds' }>;

/** Whether it is done, or the page does not offer it: what she pressed shows when the page is opened once more. */
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

/** The newest link of one kind to her page, of whatever letter. */
function newestLink(
  { depositId }: Registrant,
  { ledger }: YearStage,
  scope: 'place' | 'confirm' = 'place',
): string | undefined {
  const link = new RegExp(`\\S+${placePaths.enter}v1\\.${depositId}\\.\\d+\\.${scope}[\\w.-]+`);
  const newest = ledger.mails.findLast(({ text }) => link.test(text));
  return newest && link.exec(newest.text)?.[0];
}

/** Her page as a browser has it. */
interface Place {
  cookie: string;
  html: string;
}

async function openPlace(registrant: Registrant, stage: YearStage): Promise<Place> {
  const link = newestLink(registrant, stage);
  if (!link) throw new Error('no letter brought her a link');
  const entered = await ask(new URL(new URL(link).pathname, stage.siteUrl), { redirect: 'manual' });
  const cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const place = await pageAt(PLACE_PATH, { cookie }, stage);
  if (!place.html.includes(registrant.person.edition.title))
    throw new Error('her page is about another edition');
  return place;
}

/** Another page of hers. */
async function pageAt(
  path: string,
  { cookie }: Pick<Place, 'cookie'>,
  { siteUrl }: YearStage,
): Promise<Place> {
  const page = await ask(new URL(path, siteUrl), { headers: { Cookie: cookie } });
  return { cookie, html: await page.text() };
}

/** Sends a form that needs no script, as the page has it; true when the page has none. */
async function sendForm(
  action: string,
  typed: Readonly<Record<string, string>>,
  { cookie, html }: Place,
  { siteUrl }: YearStage,
): Promise<boolean> {
  const [, form] = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
  if (form === undefined) return true;
  const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
  await ask(new URL(action, siteUrl), {
    method: 'POST',
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ ...shown, ...typed }),
    redirect: 'manual',
  });
  return false;
}

/** Asks for another address, and confirms it by the link of the letter that it gets. */
async function askForAddress(email: string, registrant: Registrant, stage: YearStage): Promise<boolean> {
  const link = newestLink(registrant, stage, 'confirm');
  if (link) {
    try {
      const page = await pageAt(new URL(link).pathname, { cookie: '' }, stage);
      return await sendForm(formPaths.addressConfirmed, {}, page, stage);
    } catch (error) {
      // The link confirms once.
      if (error instanceof Refused && error.status === 403) return true;
      throw error;
    }
  }
  const place = await openPlace(registrant, stage);
  // Asked for twice, the first letter confirms nothing.
  if (!place.html.includes(`action="${formPaths.addressDropped}"`)) {
    const form = await pageAt(formPaths.address, place, stage);
    await sendForm(formPaths.address, { email, proof: registrant.person.postalCode }, form, stage);
  }
  return false;
}

/** What stands in the form of an act; undefined when the page does not offer it. */
function formOf({ html }: Place, act: 'pay' | 'card'): { token: string; cents: number } | undefined {
  const [form] = new RegExp(`<form[^>]*data-act="${act}"[^>]*>`).exec(html) ?? [];
  const [, token] = /data-token="([^"]+)"/.exec(form ?? '') ?? [];
  const [, cents] = /data-cents="(\d+)"/.exec(form ?? '') ?? [];
  return token === undefined ? undefined : { token, cents: Number(cents) };
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
  // What Stripe has stored is told until it is heard: proving herself again would count.
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(AGAIN_MS)) {
    const told = await press(placePaths.cardStored, { token, setupIntent }, place, stage).catch(() => 'lost');
    if (told !== 'lost') return true;
  }
  return false;
}

/** Sends what the page's script sends. */
async function press(
  path: string,
  body: object,
  { cookie }: Place,
  { siteUrl }: YearStage,
): Promise<unknown> {
  const answer = await ask(new URL(path, siteUrl), {
    method: 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (answer.status < 400) return answer;
  throw new Refused(url, answer.status);
}

class Refused extends Error {
  readonly status: number;

  constructor({ pathname }: URL, status: number) {
    super(`${pathname} was answered ${status}`);
    this.status = status;
  }
}
