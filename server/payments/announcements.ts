import type Stripe from 'stripe';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import type { Edition } from '#shared/content/edition.ts';
import { moment } from './decisions.ts';
import { isExisting, isMissing, unreadablePayment } from './provider-errors.ts';
import { editionProductId, ownMarksOfEdition } from './recognise-deposit.ts';
import { writeUnlessChanged } from './write-unless-changed.ts';

/** When it was announced, and by whom in the office. */
const said = { at: moment, by: v.pipe(v.string(), v.nonEmpty()) };

const schemas = {
  /** The schedule has changed, to this revision. */
  scheduleTold: v.object({ ...said, revision: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  /** Where the recordings are. */
  recordings: v.object({ ...said, url: v.pipe(v.string(), v.url(), v.startsWith('https://')) }),
};

/** The keys in the metadata of an edition's product. */
const KEYS = { scheduleTold: 'schedule-told', recordings: 'recordings' } as const;

export type AnnouncementKind = keyof typeof schemas;
export type Announcement<Kind extends AnnouncementKind> = v.InferOutput<(typeof schemas)[Kind]>;

/** The latest announcement of each kind that the office made to everyone who attends an edition. */
export interface Announcements {
  scheduleTold?: Announcement<'scheduleTold'>;
  recordings?: Announcement<'recordings'>;
}

/**
 * What was announced about an edition. It is stored in the metadata of a Stripe product of its own, each
 * announcement as JSON under one key; before the first one there is no product. Costs one read.
 * @throws {AppError} when the product holds data that this site did not write
 */
export async function readAnnouncements(stripe: Stripe, edition: Edition): Promise<Announcements> {
  const product = await findProduct(stripe, edition);
  return product ? announcementsOf(product) : {};
}

/**
 * Writes an announcement, unless somebody else has announced the same kind since `seen` was read. The walk
 * sends the letters, so this single write either succeeds or changes nothing.
 * @throws {AppError} when somebody else did
 */
export async function announce<Kind extends AnnouncementKind>(
  stripe: Stripe,
  edition: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  seen: Announcements,
): Promise<void> {
  const { id } = (await findProduct(stripe, edition)) ?? (await createProduct(stripe, edition));
  const metadata = { [KEYS[kind]]: JSON.stringify(announcement) };
  await writeUnlessChanged({
    name: `${id}-${kind}`,
    before: heldBefore(seen, kind),
    at: announcement.at,
    write: (idempotencyKey) => stripe.products.update(id, { metadata }, { idempotencyKey }),
    readAgain: async () => heldBefore(await readAnnouncements(stripe, edition), kind),
    changed: announcedMeanwhile,
  });
}

/** Throws for a product of another shop with the same id, so that it is neither read nor written. */
async function findProduct(stripe: Stripe, { facts }: Edition): Promise<Stripe.Product | undefined> {
  const id = editionProductId(facts);
  const product = await stripe.products.retrieve(id).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const marks = Object.entries(ownMarksOfEdition(facts));
  if (product && marks.some(([key, value]) => product.metadata[key] !== value))
    throw unreadablePayment(`${id} is a product that this site did not make`);
  return product;
}

/** Somebody else may create it at the same time. https://docs.stripe.com/api/products/create */
async function createProduct(stripe: Stripe, { facts }: Edition): Promise<{ id: string }> {
  const id = editionProductId(facts);
  const metadata = ownMarksOfEdition(facts);
  return stripe.products.create({ id, name: facts.title, metadata }).catch((error: unknown) => {
    if (isExisting(error)) return { id };
    throw error;
  });
}

function announcementsOf({ id, metadata }: Stripe.Product): Announcements {
  const read = <Kind extends AnnouncementKind>(kind: Kind) => {
    const text = metadata[KEYS[kind]];
    if (text === undefined) return undefined;
    const found = v.safeParse(v.pipe(v.string(), v.parseJson(), schemas[kind]), text);
    if (!found.success) throw unreadablePayment(`${id} has metadata under ${KEYS[kind]} that cannot be read`);
    return found.output;
  };
  const [scheduleTold, recordings] = [read('scheduleTold'), read('recordings')];
  return { ...(scheduleTold && { scheduleTold }), ...(recordings && { recordings }) };
}

function heldBefore(announcements: Announcements, kind: AnnouncementKind): string {
  return JSON.stringify(announcements[kind] ?? null);
}

function announcedMeanwhile(): AppError {
  const message = 'Somebody else announced this at the same time: look at the letters to everyone again';
  return new AppError({ code: 'announced_meanwhile', status: 409, message });
}
