import * as v from 'valibot';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { videos } from '#shared/content/compiled/on-sale/videos.ts';
import { welcome } from '#shared/content/compiled/on-sale/welcome.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Sampled } from '#shared/content/entities.ts';
import { sitePages } from '#shared/content/site-pages.ts';
import type { LaunchItem } from './launch-item.ts';
import { missingWays } from './office.ts';
import type { Given } from './read-environment.ts';
import { users } from './users.ts';
import { type environmentSchema, type ProcessName, schemas } from './variables.ts';

/** The content whose entries may be samples. */
export const sampledContent = {
  voices: page.hero.voice ? [page.hero.voice] : [],
  author: page.author,
  endorsements: page.endorsements.items,
  testimonials: page.testimonials.items,
  videos: [...(welcome ? [welcome] : []), ...videos],
  partners: page.partners.items,
  mediaRows: page.media.rows,
};
export type SampledContent = typeof sampledContent;

const FOLDER = `shared/content/editions/${facts.id}`;

const STRIPE_KEYS = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY'];
const LIVE_KEY = /^[a-z]+_live_/;

/** Variables that visitors see, or that name what the site connects to. */
const CHECKED = [
  'PUBLIC_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'REDIS_SENTINELS',
  'REDIS_CLUSTER',
  'SMTP_URL',
  'LINK_SECRET',
  'OPS_PASSWORD',
  'MAIL_EVENTS_SECRET',
  'VIDEO_ROOM_URL',
  'EMAIL_SERVICE_URL',
  'MAIL_FROM',
  'OFFICE_EMAIL',
  'OFFICE_PHONE',
  'OFFICE_FAX',
  'OFFICE_POSTAL_ADDRESS',
  'OFFICE_LEGAL_NAME',
];
/** Domains that nobody can own. @see RFC 2606 */
const EXAMPLE_DOMAIN = /(?:[\w-]+\.)+example(?![\w-]|\.\w)|\bexample\.(?:com|net|org)\b/gi;
/** The office of `npm start` and of `.env.example`, and the secrets of a site that is tried out, one in base64: everybody can read them. */
const MADE_UP =
  /sample-secret[\w-]*|c2FtcGxlIHNlY3JldC[\w+/=]*|Sample Retreats LLC|Example Street|Sampletown|\(?\b555\)?[\s.-]*555[\s.-]*01\d\d\b/g;
const USER_AND_PASSWORD = /\/\/[^/]*@/;

/** @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020 */
const PIXEL_UNSTATED = `META_PIXEL_ID is set, and ${FOLDER}/edition.yaml does not say in notices.healthData what the pixel may tell about the health of visitors: write it for ${sitePages.healthData.path}, or take the pixel out`;

/**
 * Who sells must be named before somebody pays, with the street where it is: what must be there, by variable.
 * @see https://eur-lex.europa.eu/eli/dir/2011/83/oj Article 6(1)(b), (c)
 */
const SELLER = [
  { id: 'office-postal-address', name: 'OFFICE_POSTAL_ADDRESS', what: 'the street address of who sells' },
  { id: 'office-legal-name', name: 'OFFICE_LEGAL_NAME', what: 'the legal name of who sells' },
] as const;

/** Whether a key of Stripe is one with which real cards are charged. */
export const isLive = (key = ''): boolean => LIVE_KEY.test(key);

/**
 * What keeps the site from taking real cards although a Stripe key is live: sample data that is left, one problem for each
 * list of the content and for each variable, which names all samples found there; a pixel without a statement; and a
 * seller that is not named.
 */
export function launchProblems(
  env: Given,
  content: SampledContent = sampledContent,
  { notices }: Pick<Edition, 'notices'> = edition,
): string[] {
  const liveKey = STRIPE_KEYS.find((name) => isLive(env[name]));
  if (!liveKey) return [];
  const unnamed = SELLER.map((part) => sellerLacks(part, env)).filter((says) => says !== false);
  return [...blockersIn(env, content, notices).map(({ says }) => says), ...unnamed].map(
    (problem) => `${liveKey} is live, but ${problem}`,
  );
}

/** What is missing of a part of who sells, without the full stop. */
function sellerLacks({ name, what }: (typeof SELLER)[number], env: Given): string | false {
  return !env[name] && `${name} is missing: page, letters and receipts must have ${what}`;
}

/** The same findings, whatever the key. */
export function sampleItems(
  env: Given,
  content: SampledContent = sampledContent,
  { notices }: Pick<Edition, 'notices'> = edition,
): LaunchItem[] {
  const left = blockersIn(env, content, notices).map(
    ({ id, says }): LaunchItem => ({ id, decides: 'owner', says: `${says}.`, standing: 'left' }),
  );
  const says = 'No sample, no address of nobody and no made-up office is left.';
  return left.length > 0 ? left : [{ id: 'samples', decides: 'owner', says, standing: 'done' }];
}

type Found = Pick<LaunchItem, 'id' | 'says'>;

function blockersIn(env: Given, content: SampledContent, notices: Edition['notices']): Found[] {
  const { voices, testimonials, videos } = content;
  return [
    left('page.yaml', 'voice in the first view', voices, ({ author: name }) => name),
    left('people.yaml', 'author', [content.author], ({ name }) => name),
    left('people.yaml', 'endorsements', content.endorsements, ({ name }) => name),
    left('people.yaml', 'testimonials', testimonials, ({ author: name }) => name),
    left('people.yaml', 'videos', videos, ({ label, src }) => `${label} (${src})`),
    left('outlets.yaml', 'partners', content.partners, ({ name }) => name),
    left('outlets.yaml', 'media outlets', content.mediaRows.flat(), ({ name }) => name),
    addressesLeft(content),
    variablesLeft(env),
    env.META_PIXEL_ID && !notices?.healthData ? [{ id: 'pixel-unstated', says: PIXEL_UNSTATED }] : [],
  ].flat();
}

/** A sentence that names the entries marked as samples; no sentence if there are none. */
function left<Entry extends Sampled>(
  file: string,
  what: string,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): Found[] {
  const names = entries.filter(({ sample }) => sample).map(nameOf);
  if (names.length === 0) return [];
  const says = `${FOLDER}/${file} holds sample ${what}: ${names.join('; ').replaceAll('\u00a0', ' ')}`;
  return [{ id: `sample-${what.replaceAll(' ', '-')}`, says }];
}

function addressesLeft(content: SampledContent): Found[] {
  const domains = foundIn(EXAMPLE_DOMAIN, JSON.stringify(content));
  if (domains.length === 0) return [];
  return [{ id: 'example-addresses', says: `${FOLDER}/ leads to ${domains.join(', ')}` }];
}

function variablesLeft(env: Given): Found[] {
  return CHECKED.flatMap((name) => {
    const value = (env[name] ?? '').replace(USER_AND_PASSWORD, '//');
    const found = [...foundIn(EXAMPLE_DOMAIN, value), ...foundIn(MADE_UP, value)];
    if (found.length === 0) return [];
    return [
      { id: `made-up-${name.toLowerCase().replaceAll('_', '-')}`, says: `${name} holds ${found.join(', ')}` },
    ];
  });
}

function foundIn(pattern: RegExp, text: string): string[] {
  return [...new Set(text.match(pattern))];
}

type VariableName = keyof typeof environmentSchema.entries;
/** What is left, as one sentence; nothing where nothing is. */
type Left = (env: Given) => string | false | undefined;

/** @param reads a process that is given none of these cannot judge */
const fact = (id: string, decides: LaunchItem['decides'], reads: readonly VariableName[], left: Left) => ({
  id,
  decides,
  reads,
  left,
  standing: 'left' as const,
});

/** The same for what may stay, if a person confirms it. */
const decision = (...[id, decides, reads, left]: Parameters<typeof fact>) => ({ id, decides, reads, left });

const RULES: readonly (Omit<ReturnType<typeof fact>, 'standing'> & Pick<LaunchItem, 'standing'>)[] = [
  fact('production', 'engineer', ['NODE_ENV'], ({ NODE_ENV }) => {
    return NODE_ENV !== 'production' && 'NODE_ENV is not production: most checks of the start are off.';
  }),
  fact('https', 'engineer', ['PUBLIC_URL'], ({ PUBLIC_URL = 'not set' }) => {
    return !PUBLIC_URL.startsWith('https://') && `PUBLIC_URL is ${PUBLIC_URL}: visitors need https there.`;
  }),
  fact('live-keys', 'owner', ['STRIPE_SECRET_KEY'], ({ STRIPE_SECRET_KEY, PAYMENTS }) => {
    if (PAYMENTS === 'sandbox') return 'PAYMENTS is sandbox: no card is charged.';
    return !isLive(STRIPE_SECRET_KEY) && 'STRIPE_SECRET_KEY is no live key: no real card is charged.';
  }),
  decision('restricted-key', 'engineer', ['STRIPE_SECRET_KEY'], ({ STRIPE_SECRET_KEY = '' }) => {
    const says =
      'STRIPE_SECRET_KEY may do all: a restricted key needs only the rights in server/ops/launch.md.';
    return STRIPE_SECRET_KEY.startsWith('sk_') && says;
  }),
  decision('office-fax', 'owner', ['OFFICE_FAX'], ({ OFFICE_FAX: fax }) => {
    const [words] = missingWays({ email: '', phone: '', fax, postalAddress: '' });
    return words && `${words}.`;
  }),
  ...SELLER.map((part) =>
    fact(part.id, 'owner', [part.name], (env) => {
      const lacks = sellerLacks(part, env);
      return lacks && `${lacks}; with live keys the site does not start without.`;
    }),
  ),
  fact('registration-window', 'owner', ['REGISTRATION'], ({ REGISTRATION, NODE_ENV }) => {
    if (REGISTRATION === 'closed') return 'REGISTRATION is closed: nobody can register.';
    const isByDate = REGISTRATION === 'auto' || (!REGISTRATION && NODE_ENV === 'production');
    return !isByDate && 'REGISTRATION is open whatever the dates of the edition say: set it to auto.';
  }),
  fact('users', 'owner', ['OPS_USERS'], (env) => {
    return usersOf(env).length === 0 && 'OPS_USERS names nobody: no one can sign in to the office.';
  }),
  fact('users-codes', 'owner', ['OPS_USERS'], (env) => {
    const names = usersOf(env).flatMap(({ name, totp }) => (totp ? [] : [name]));
    return (
      names.length > 0 &&
      `Without an authenticator sign in: ${names.join(', ')}; make their lines with --totp.`
    );
  }),
  decision('copies', 'engineer', ['BACKUP_DIR'], ({ DATABASE_URL = '', BACKUP_DIR }) => {
    if (DATABASE_URL.startsWith('postgres'))
      return 'The register is in PostgreSQL: its operator has to copy it.';
    return !BACKUP_DIR && 'BACKUP_DIR is not set: nothing copies the register.';
  }),
  decision('video-room', 'owner', ['VIDEO_ROOM_URL'], ({ VIDEO_ROOM_URL }) => {
    const says = `VIDEO_ROOM_URL is not set: the office has to announce the room before ${facts.startDate}.`;
    return !VIDEO_ROOM_URL && says;
  }),
  decision('mail-events', 'engineer', ['MAIL_EVENTS_SECRET'], ({ MAIL_EVENTS_SECRET }) => {
    const says = 'No provider tells of letters that come back: MAIL_EVENTS_SECRET is not set.';
    return !MAIL_EVENTS_SECRET && says;
  }),
];

function usersOf({ OPS_USERS = '' }: Given) {
  const read = v.safeParse(users, OPS_USERS);
  return read.success ? read.output : [];
}

/**
 * What the variables of a process leave to do.
 * @param env the variables that it was given
 */
export function configurationItems(env: Given, process: ProcessName): LaunchItem[] {
  return RULES.map(({ reads, left, ...rule }): LaunchItem => {
    const isGiven = (name: VariableName) => name in schemas[process].entries || env[name] !== undefined;
    const names = reads.join(' and ');
    if (!reads.some(isGiven)) {
      const says = `${names}: only the ${process === 'app' ? 'worker' : 'app'} is given that, and can judge it.`;
      return { ...rule, says, standing: 'unseen' };
    }
    const says = left(env);
    return says ? { ...rule, says } : { ...rule, says: `${names}: as it should be.`, standing: 'done' };
  });
}
