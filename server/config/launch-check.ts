import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { videos } from '#shared/content/compiled/on-sale/videos.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Sampled } from '#shared/content/entities.ts';
import { sitePages } from '#shared/content/site-page-table.ts';
import type { LaunchItem } from './launch-item.ts';
import type { Given } from './read-environment.ts';

/** The content whose entries may be samples. */
export const sampledContent = {
  voices: page.hero.voice ? [page.hero.voice] : [],
  author: page.author,
  endorsements: page.endorsements.items,
  testimonials: page.testimonials.items,
  videos,
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
/** The office of `npm start` and of `.env.example`, and the secret of a site that is tried out, which everybody can read. */
const MADE_UP =
  /sample-secret[\w-]*|Sample Retreats LLC|Example Street|Sampletown|\(?\b555\)?[\s.-]*555[\s.-]*01\d\d\b/g;
const USER_AND_PASSWORD = /\/\/[^/]*@/;

/** @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020 */
const PIXEL_UNSTATED = `META_PIXEL_ID is set, and ${FOLDER}/edition.yaml does not say in notices.healthData what the pixel may tell about the health of visitors: write it for ${sitePages.healthData.path}, or take the pixel out`;

/**
 * Who sells must be named before somebody pays, with the street where it is: what must be there, by variable.
 * @see https://eur-lex.europa.eu/eli/dir/2011/83/oj Article 6(1)(b), (c)
 */
export const SELLER = [
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
export function sellerLacks({ name, what }: (typeof SELLER)[number], env: Given): string | false {
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
