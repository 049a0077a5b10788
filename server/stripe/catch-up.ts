import type Stripe from 'stripe';
import { type Database, isRegisterAway } from '#server/database/database.ts';
import type { RegisterRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { RECORD_EXPANSION, type Records, recordList, recordPayment } from './record-payments.ts';
import { inSeconds } from './stripe-calls.ts';
import { noteTaken, stripeSetup, takeEvent } from './stripe-events.ts';

const TYPES = [...stripeSetup.events];

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Events may be listed later than others that were made after them. */
const OVERLAP_MS = HOUR_MS;
/** Stripe lists events for thirty days. */
const EVENTS_KEPT_MS = 29 * DAY_MS;
/** How far back payments are listed each day: whoever made one may have been killed before it recorded it. */
const LISTED_MS = 7 * DAY_MS;
/** How far back they are listed where events are missing: longer than an edition lasts. */
const SEASON_MS = 400 * DAY_MS;

/**
 * Takes the events that no webhook brought, and once a day records the payments of the last week; of the season where the
 * register is new or held.
 * @returns the errors of what cannot be taken, which stop nothing else
 * @see https://docs.stripe.com/api/events/list
 * @see https://docs.stripe.com/webhooks/handle-irrecoverable-events
 */
export async function catchUp(records: Records, now: Date): Promise<AppError[]> {
  const { database, stripe } = records;
  const { eventsUntil, comparedAt } = await database.read((transaction) =>
    transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow(),
  );
  const ageOf = (moment: Date | null): number => now.getTime() - (moment?.getTime() ?? 0);
  // Before payments are read: what happens meanwhile is taken next time.
  const newest = eventsUntil === null && (await stripe.events.list({ types: TYPES, limit: 1 })).data[0];
  if (newest || ageOf(comparedAt) >= DAY_MS || ageOf(comparedAt) < 0) {
    const hasEvents = comparedAt !== null && eventsUntil !== null && ageOf(eventsUntil) < EVENTS_KEPT_MS;
    await recordSince(records, new Date(now.getTime() - (hasEvents ? LISTED_MS : SEASON_MS)));
    await noteCompared(database, comparedAt, now);
  }
  const failures = eventsUntil === null ? [] : await takeEvents(records, eventsUntil);
  await noteInRegister(database, { caughtUpAt: now, ...(newest && { eventsUntil: momentOf(newest) }) });
  return failures;
}

const momentOf = ({ created }: Stripe.Event): Date => new Date(created * 1000);

async function noteInRegister(
  database: Database,
  noted: Partial<Pick<RegisterRow, 'eventsUntil' | 'caughtUpAt'>>,
): Promise<void> {
  await database.write((transaction) => transaction.updateTable('register').set(noted).execute());
}

/** Unless the register is held since the listing began: then the whole season has to be listed. */
async function noteCompared(database: Database, before: Date | null, now: Date): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('register')
      .set({ comparedAt: now })
      .where('comparedAt', before === null ? 'is' : '=', before)
      .execute(),
  );
}

async function takeEvents(records: Records, until: Date): Promise<AppError[]> {
  const { stripe, database } = records;
  const since = new Date(until.getTime() - OVERLAP_MS);
  const taken = await takenSince(database, since);
  const failures: AppError[] = [];
  let newest: Stripe.Event | undefined;
  let oldestFailed: Stripe.Event | undefined;
  for await (const event of stripe.events.list({
    types: TYPES,
    limit: 100,
    created: { gte: inSeconds(since) },
  })) {
    newest ??= event;
    if (taken.has(event.id)) continue;
    try {
      await takeEvent(records, event);
      await noteTaken(database, event);
    } catch (error) {
      if (!(error instanceof AppError) || isRegisterAway(error)) throw error;
      failures.push(error);
      oldestFailed = event;
    }
  }
  // What failed is listed again for a day; after that a person has seen it in the log.
  const latest = newest?.created ?? 0;
  const mark = Math.max(oldestFailed?.created ?? latest, latest - DAY_MS / 1000) * 1000;
  if (mark > until.getTime()) await noteInRegister(database, { eventsUntil: new Date(mark) });
  return failures;
}

/** The events that are on record as taken; older ones are removed, since they are not listed again. */
async function takenSince(database: Database, since: Date): Promise<ReadonlySet<string>> {
  const rows = await database.write(async (transaction) => {
    await transaction.deleteFrom('stripeEvents').where('createdAt', '<', since).execute();
    return transaction.selectFrom('stripeEvents').select('id').execute();
  });
  return new Set(rows.map(({ id }) => id));
}

/** Records the payments made since a moment, a hundred per request; lost registrations, too. */
async function recordSince(records: Records, since: Date): Promise<void> {
  const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
  const parameters = { created: { gte: inSeconds(since) }, limit: 100, expand };
  for (let last: string | undefined; ; ) {
    const next = { hasMore: false };
    const overtaken = await recordList(records, async ({ paymentIntents }) => {
      const page = await paymentIntents.list({ ...parameters, ...(last && { starting_after: last }) });
      next.hasMore = page.has_more;
      last = page.data.at(-1)?.id;
      return page.data;
    });
    for (const id of overtaken) await recordPayment(records, id);
    if (!next.hasMore || !last) return;
  }
}
