import { setTimeout as pause } from 'node:timers/promises';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { PageDeed } from './lives.ts';
import type { Site } from './site.ts';
import { type Registrant, typeCard } from './visitor.ts';

const TIMEOUT_MS = 120_000;
const RETRY_MS = 200;
const REQUEST_MS = 60_000;

const FORMS = {
  'pay-now': formPaths.pay,
  'new-card': formPaths.card,
  cancel: formPaths.cancel,
  undo: formPaths.undo,
} as const;

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
  const link = new RegExp(`\\S+${ownPagePaths.enter}v1\\.${registration}\\.\\d+\\.place[\\w.-]+`);
  const newest = site.mails.findLast(({ text }) => link.test(text));
  const [found] = link.exec(newest?.text ?? '') ?? [];
  if (found === undefined) throw new Error('no letter brought her a link');
  // It keeps its token in a cookie.
  const entered = await ask(new URL(found).pathname, { redirect: 'manual' });
  cookie = entered.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const action = FORMS[does];
  if (!(await open(OWN_PAGE_PATH)).includes(`href="${action}"`)) return true;
  const [, form = ''] =
    new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(await open(action)) ?? [];
  const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
  const body = new URLSearchParams({ ...shown, proof: person.postalCode });
  const answer = await ask(action, { method: 'POST', body, redirect: 'manual' });
  const [, atStripe = ''] = /\bto=((?:cs|pi)_\w+)/.exec(answer.headers.get('Location') ?? '') ?? [];
  if (atStripe.startsWith('pi_')) {
    site.sandbox.bank.authenticate(atStripe);
    await ask(`${ownPagePaths.back}?payment_intent=${atStripe}`);
  } else if (atStripe !== '') {
    site.sandbox.bank.enterCard(atStripe, await typeCard(site, { ...person, card: 'other' }));
    await ask(`${ownPagePaths.back}?session=${atStripe}`);
    // The page goes on offering to give another card.
    return true;
  }
  return false;
}
