import { setTimeout as pause } from 'node:timers/promises';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { PageDeed } from './lives.ts';
import type { Site } from './site.ts';
import { type Registrant, typeCard } from './visitor.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 200;
const REQUEST_MS = 60_000;

/**
 * Does something on her page as her browser does, through the link in her newest letter. She retries what fails; after a
 * refusal she opens the page again, and gives up once the page no longer offers the deed.
 */
export async function deedOnPage(does: PageDeed, registrant: Registrant, site: Site): Promise<void> {
  let cause: unknown;
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await pause(RETRY_MS)) {
    try {
      if (await tryOnPage(does, registrant, site)) return;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`${registrant.registration} (${registrant.person.life}) could not ${does}`, { cause });
}

/** Whether it is done, or the page does not offer it: the effect of a press shows when the page is opened again. */
async function tryOnPage(does: PageDeed, { registration, person }: Registrant, site: Site): Promise<boolean> {
  const proof = person.postalCode;
  let cookie = '';
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(new URL(path, site.siteUrl), {
      ...init,
      headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    if (answer.status >= 400) throw new Error(`${path} was answered ${answer.status}`);
    return answer;
  };
  const open = async (path: string): Promise<string> => (await ask(path)).text();
  /** The newest link of one kind to her page, in whichever letter. */
  const linkOf = (scope: 'place' | 'confirm' | 'take'): string | undefined => {
    const link = new RegExp(`\\S+${ownPagePaths.enter}v1\\.${registration}\\.\\d+\\.${scope}[\\w.-]+`);
    const newest = site.mails.findLast(({ text }) => link.test(text));
    const [found] = link.exec(newest?.text ?? '') ?? [];
    return found && new URL(found).pathname;
  };
  /** Opens a link, which keeps its token in a cookie, and then the page to which it leads. */
  const follow = async (link: string | undefined, path: string): Promise<string> => {
    if (link === undefined) throw new Error('no letter brought her a link');
    const entered = await ask(link, { redirect: 'manual' });
    cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    return open(path);
  };
  /** Submits a form of a page. @returns where it leads; undefined when the page does not have it */
  const submit = async (action: string, typed: object, html: string): Promise<string | undefined> => {
    const [, form] = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
    if (form === undefined) return undefined;
    const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
    const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
    const body = new URLSearchParams({ ...shown, ...typed });
    const answer = await ask(action, { method: 'POST', body, redirect: 'manual' });
    return answer.headers.get('Location') ?? '';
  };
  /** Enters another card at Stripe. @returns the page to which she comes back; undefined where she was not led there */
  const giveCard = async (
    action: string,
    typed: object,
    html: string,
    back: string,
  ): Promise<string | undefined> => {
    const [, session] = /\bto=(cs_\w+)/.exec((await submit(action, typed, html)) ?? '') ?? [];
    if (session === undefined) return undefined;
    site.sandbox.bank.enterCard(session, await typeCard(site, { ...person, card: 'other' }));
    return open(`${back}?session=${session}`);
  };

  if (does === 'take-place') {
    const html = await follow(linkOf('take'), formPaths.takePlace);
    if (!html.includes('name="link"')) return true;
    const stored = await giveCard(formPaths.takersCard, {}, html, formPaths.takePlace);
    await submit(formPaths.takePlace, { agreed: 'on', timeZone: 'Europe/Berlin' }, stored ?? html);
    return false;
  }
  const confirm = does === 'new-address' ? linkOf('confirm') : undefined;
  if (confirm !== undefined) {
    // The link works only once, so a refusal means that it has worked.
    const html = await open(confirm).catch(() => undefined);
    return html === undefined || (await submit(formPaths.addressConfirmed, {}, html)) === undefined;
  }
  const html = await follow(linkOf('place'), OWN_PAGE_PATH);
  // She has asked, and the message is on its way.
  if (does === 'new-address' && html.includes(formPaths.addressDropped)) return false;
  if (!html.includes(`href="${FORMS[does]}"`)) return true;
  const form = await open(FORMS[does]);
  if (does === 'new-card')
    return (await giveCard(formPaths.card, { proof }, form, ownPagePaths.back)) !== undefined;
  const email = `own-${person.email}`;
  const location = await submit(FORMS[does], { proof, ...(does === 'new-address' && { email }) }, form);
  const [, payment] = /\bto=(pi_\w+)/.exec(location ?? '') ?? [];
  if (payment !== undefined) {
    site.sandbox.bank.authenticate(payment);
    await ask(`${ownPagePaths.back}?payment_intent=${payment}`);
  }
  return false;
}

const FORMS = {
  'pay-now': formPaths.pay,
  'new-card': formPaths.card,
  cancel: formPaths.cancel,
  undo: formPaths.undo,
  'new-address': formPaths.address,
  'take-place': formPaths.takePlace,
} as const;
