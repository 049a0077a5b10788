import * as v from 'valibot';
import { facts, page } from '#shared/content/compiled/on-sale.ts';
import type { Given } from './read-environment.ts';

/** What of the content may be a sample, by the file in which it is written. */
export const sampledContent = {
  'page.yaml': [page.hero.voice],
  'people.yaml': [page.author, page.endorsements, page.testimonials, page.videos],
  'outlets.yaml': [page.partners, page.media],
};
export type SampledContent = Readonly<Record<keyof typeof sampledContent, readonly unknown[]>>;

const FOLDER = `shared/content/editions/${facts.id}`;
const STRIPE_KEYS = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'];
const isLive = (key = ''): boolean => /^[a-z]+_live_/.test(key);

/** Variables that visitors see, or that name what the site connects to. */
const CHECKED = `PUBLIC_URL DATABASE_URL REDIS_URL SMTP_URL LINK_SECRET OPS_PASSWORD
  MAIL_EVENTS_SECRET EMAIL_SERVICE_URL MAIL_FROM OFFICE_EMAIL OFFICE_PHONE OFFICE_FAX
  OFFICE_POSTAL_ADDRESS OFFICE_LEGAL_NAME`.split(/\s+/);
/** Domains that nobody can own. @see RFC 2606 */
const EXAMPLE_DOMAIN = /(?:[\w-]+\.)+example(?![\w-]|\.\w)|\bexample\.(?:com|net|org)\b/gi;
/** The office of `npm start` and of `.env.example`, and the secrets of a site that is tried out, one in base64: everybody can read them. */
const MADE_UP =
  /sample-secret[\w-]*|c2FtcGxlIHNlY3JldC[\w+/=]*|Sample Retreats LLC|Example Street|Sampletown|\(?\b555\)?[\s.-]*555[\s.-]*01\d\d\b/g;

/** What keeps the site from taking real cards although a Stripe key is live. */
export function launchProblems(env: Given, content: SampledContent = sampledContent): string[] {
  const liveKey = STRIPE_KEYS.find((name) => isLive(env[name]));
  return liveKey ? notForSale(env, content).map((problem) => `${liveKey} is live, but ${problem}`) : [];
}

/** Samples, addresses of nobody, a made-up office and a seller without a name: a problem for each file and variable. */
function notForSale(env: Given, content: SampledContent): string[] {
  const named = (says: string, names: readonly string[]) =>
    names.length > 0 ? [`${says} ${names.join('; ').replaceAll('\u00a0', ' ')}`] : [];
  return [
    ...Object.entries(content).flatMap(([file, parts]) =>
      named(`${FOLDER}/${file} holds samples:`, samplesIn(parts)),
    ),
    ...named(`${FOLDER}/ leads to`, foundIn(JSON.stringify(content), EXAMPLE_DOMAIN)),
    ...CHECKED.flatMap((name) => {
      const value = (env[name] ?? '').replace(/\/\/[^/]*@/, '//');
      return named(`${name} holds`, foundIn(value, EXAMPLE_DOMAIN, MADE_UP));
    }),
    ...['OFFICE_POSTAL_ADDRESS', 'OFFICE_LEGAL_NAME'].flatMap((name) =>
      env[name] ? [] : [`${name} is missing: page, letters and receipts must say who sells, and where`],
    ),
  ];
}

const sampleSchema = v.object({
  sample: v.literal(true),
  ...v.entriesFromList(['name', 'author', 'label'], v.optional(v.string())),
});

function samplesIn(content: unknown): string[] {
  if (v.is(sampleSchema, content)) return [content.name ?? content.author ?? content.label ?? 'one'];
  return typeof content === 'object' && content !== null ? Object.values(content).flatMap(samplesIn) : [];
}

const foundIn = (text: string, ...patterns: readonly RegExp[]): string[] =>
  patterns.flatMap((pattern) => [...new Set(text.match(pattern))]);

/** What is not as it must be where real cards are charged. */
export function settingProblems(env: Given): string[] {
  const { NODE_ENV, PUBLIC_URL = 'not set', REGISTRATION = 'auto', STRIPE_SECRET_KEY } = env;
  return [
    ...notForSale(env, sampledContent),
    NODE_ENV !== 'production' && 'NODE_ENV is not production: most checks of the start are off',
    !PUBLIC_URL.startsWith('https://') && `PUBLIC_URL is ${PUBLIC_URL}: visitors need https there`,
    !isLive(STRIPE_SECRET_KEY) && 'STRIPE_SECRET_KEY is no live key: no real card is charged',
    REGISTRATION !== 'auto' && `REGISTRATION is ${REGISTRATION}, whatever the dates of the edition say`,
  ].filter((problem) => problem !== false);
}
