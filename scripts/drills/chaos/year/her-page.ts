import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { PLACE_PATH, placePaths } from '#shared/place.ts';
import { CARDS } from './lives.ts';
import { nameOf, payByCard, type Registrant, storeCard, typeCard } from './register.ts';
import type { YearStage } from './stage.ts';

const PATIENCE_MS = 120_000;
const AGAIN_MS = 500;
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Does something on her page as her browser does, by the link of her newest letter. What fails she tries again; what is
 * refused she looks at again, and gives up once the page offers it no more.
 */
export async function deedOnPage(
  does: 'pay-now' | 'new-card',
  registrant: Registrant,
  stage: YearStage,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const act = does === 'pay-now' ? payNow : changeCard;
  let cause: unknown = new Error('no letter brought her a link');
  for (; Date.now() < deadline; await pause(AGAIN_MS)) {
    const link = newestLink(registrant, stage);
    try {
      if (link && (await act(registrant, stage, await openPlace(link, registrant, stage)))) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`${nameOf(registrant)} could not ${does}`, { cause });
}

/** Of whatever letter. */
function newestLink({ depositId }: Registrant, { ledger }: YearStage): string | undefined {
  const newest = ledger.mails.findLast(({ text }) => text.includes(`${placePaths.enter}v1.${depositId}.`));
  return newest && /\S+\/place\/v1\.[\w.-]+/.exec(newest.text)?.[0];
}

/** Her page as a browser has it. */
interface Place {
  cookie: string;
  html: string;
}

async function openPlace(link: string, { person }: Registrant, { siteUrl }: YearStage): Promise<Place> {
  const entered = await ask(new URL(new URL(link).pathname, siteUrl), { redirect: 'manual' });
  const cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const page = await ask(new URL(PLACE_PATH, siteUrl), { headers: { Cookie: cookie } });
  const html = await page.text();
  if (!html.includes(person.edition.title)) throw new Error('her page is about another edition');
  return { cookie, html };
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
async function payNow({ person }: Registrant, stage: YearStage, place: Place): Promise<boolean> {
  const form = formOf(place, 'pay');
  if (!form) return true;
  const card = await typeCard(stage, person, CARDS.other);
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
  throw new Error(`${url.pathname} was answered ${answer.status}`);
}
