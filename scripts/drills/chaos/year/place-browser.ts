import { PLACE_PATH, placePaths } from '#shared/place.ts';
import type { Registrant } from './register.ts';
import type { YearStage } from './stage.ts';

const REQUEST_TIMEOUT_MS = 60_000;

/** Her page as a browser has it. */
export interface Place {
  cookie: string;
  html: string;
}

export async function openPlace(registrant: Registrant, stage: YearStage): Promise<Place> {
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
export async function pageAt(
  path: string,
  { cookie }: Pick<Place, 'cookie'>,
  { siteUrl }: YearStage,
): Promise<Place> {
  const page = await ask(new URL(path, siteUrl), { headers: { Cookie: cookie } });
  return { cookie, html: await page.text() };
}

/** Submits a form of the page that needs no script; true when the page does not have this form. */
export async function sendForm(
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

/** The data in the form of an act; undefined when the page does not offer it. */
export function formOf({ html }: Place, act: 'pay' | 'card'): { token: string; cents: number } | undefined {
  const [form] = new RegExp(`<form[^>]*data-act="${act}"[^>]*>`).exec(html) ?? [];
  const [, token] = /data-token="([^"]+)"/.exec(form ?? '') ?? [];
  const [, cents] = /data-cents="(\d+)"/.exec(form ?? '') ?? [];
  return token === undefined ? undefined : { token, cents: Number(cents) };
}

/** Sends what the page's script sends. */
export async function press(
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

export class Refused extends Error {
  readonly status: number;

  constructor({ pathname }: URL, status: number) {
    super(`${pathname} was answered ${status}`);
    this.status = status;
  }
}

/** The newest link of one kind to her page, in whichever letter. */
export function newestLink(
  { depositId }: Registrant,
  { ledger }: YearStage,
  scope: 'place' | 'confirm' = 'place',
): string | undefined {
  const link = new RegExp(`\\S+${placePaths.enter}v1\\.${depositId}\\.\\d+\\.${scope}[\\w.-]+`);
  const newest = ledger.mails.findLast(({ text }) => link.test(text));
  return newest && link.exec(newest.text)?.[0];
}
