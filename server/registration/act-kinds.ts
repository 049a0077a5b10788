import * as v from 'valibot';
import { CONTACT_FIELDS, storedContact } from '#shared/registration.ts';

export const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
);

/** The `by` of an act on her page; for an act of the office it is a name. */
export const HERSELF = 'the registrant';
export const THE_WORKER = 'the worker';
export const HER_BANK = 'her bank';
export const SOMEBODY_WITH_LINK = 'somebody with her link';
/** Those who are no users of the office: nothing that one of these does is recorded for them. */
export const NO_USERS: readonly string[] = [HERSELF, THE_WORKER, HER_BANK, SOMEBODY_WITH_LINK];

const done = { at: moment, by: v.pipe(v.string(), v.nonEmpty()) };
export interface Done {
  at: Date;
  by: string;
}

export const HOW_AGREED = { phone: 'on the phone', writing: 'in writing' } as const;

/** Her consent as the office recorded it: how she gave it, and on which day. */
const spoken = { how: v.picklist(['phone', 'writing']), on: moment };
const maybeSpoken = v.partial(v.object(spoken)).entries;

/** After so many wrong proofs in a day (UTC) a letter asks her whether it was she: one is a typing error. */
export const WRONG_PROOFS_TOLD = 3;

export const correctedDetails = [
  'name' as const,
  ...CONTACT_FIELDS.filter((field) => field !== 'firstName' && field !== 'lastName'),
];
export type CorrectedDetail = (typeof correctedDetails)[number];

export const REASON_LENGTH = 200;
const reason = v.pipe(v.string(), v.maxLength(REASON_LENGTH));

/** US cents. The act does not keep them: the ledger does, see `withSums`. */
const cents = v.pipe(v.number(), v.integer(), v.minValue(0));
const sum = v.optional(cents, 0);
const parts = v.optional(v.array(v.object({ number: v.number(), cents, dueAt: moment })), []);

const bare = v.object(done);
const url = v.pipe(v.string(), v.url(), v.startsWith('https://'));

/** What people decide about a registration. Of each kind, the last one holds until it is withdrawn. */
export const decisionSchemas = {
  /** She cancelled in writing: the refund depends on the moment at which she wrote. */
  cancel: v.object({
    ...done,
    writtenAt: moment,
    onPage: v.exactOptional(v.literal(true)),
    /** She has paid for another place too: all of this one goes back, and at once. */
    whole: v.exactOptional(v.literal(true)),
  }),
  /** Not asked of her: of the balance first, then of the deposit. She reads `as` what it is, and never the reason. */
  waived: v.object({
    ...done,
    cents: sum,
    as: v.exactOptional(v.picklist(['scholarship', 'reduction'])),
    reason: v.exactOptional(reason),
  }),
  check: bare,
  /** Her place is held for her until this moment, and she pays the deposit so: without a card it is this sum. */
  held: v.object({ ...done, way: v.picklist(['card', 'check', 'transfer']), until: moment, cents: sum }),
  postponed: v.object({ ...done, until: moment }),
  /** The balance is paid in these parts. While it is paused, none of them is charged. */
  plan: v.object({ ...done, parts, paused: v.exactOptional(v.literal(true)) }),
  planAgreed: v.object({ ...done, ...maybeSpoken }),
  /** Her card is to be retried now, whatever was planned after its last decline. */
  charge: bare,
  refund: v.object({ ...done, cents: sum, reason: v.pipe(reason, v.nonEmpty()) }),
  /** The office has sent her a check for what could not be refunded to a card. */
  checkSent: v.object({ ...done, cents: sum, sentAt: moment }),
  /** The disputes of these charges no longer block anything. A new dispute does. */
  disputeOver: v.object({ ...done, charges: v.array(v.string()), disputes: v.array(v.string()) }),
  twoPeople: bare,
  handOver: v.intersect([bare, storedContact]),
  handOverAgreed: v.object({ ...done, of: moment }),
};
export type DecisionKind = keyof typeof decisionSchemas;

export const actSchemas = {
  ...decisionSchemas,
  consent: v.pipe(
    v.object({ version: v.string(), digest: v.string(), ...done, ...maybeSpoken }),
    v.transform(({ at: agreedAt, by, how, on, ...terms }) => {
      // Where she agreed on the page herself, she did not say so to anybody.
      return { ...terms, agreedAt, ...(how && on && { spoken: { how, on, by } }) };
    }),
  ),
  'deposit-failed': bare,
  /** She gave another card for the balance, or her bank renewed it; `id` is Stripe's. */
  card: v.pipe(
    v.object({
      at: moment,
      id: v.string(),
      brand: v.string(),
      last4: v.string(),
      expMonth: v.number(),
      expYear: v.number(),
    }),
    v.transform(({ at: since, ...card }) => ({ ...card, since })),
  ),
  /** The card on file was detached from her customer at Stripe: it cannot be charged any more. */
  'card-detached': bare,
  'card-failed': bare,
  /** Somebody gave a wrong proof on her page: the first `WRONG_PROOFS_TOLD` of each day. */
  'proof-failed': bare,
  cancelled: v.object({ at: moment }),
  received: v.object({
    ...done,
    way: v.picklist(['check', 'transfer']),
    cents: sum,
    on: moment,
    number: v.exactOptional(v.string()),
  }),
  corrected: v.object({ ...done, detail: v.picklist(correctedDetails), was: v.string() }),
  /** About the register, by its name: somebody held it, released it, or moved it to another database. */
  hold: bare,
  released: bare,
  moved: bare,
  /** Somebody else has the place since; the details, and smaller numbers of links, are of who had it before. */
  'handed-over': v.intersect([v.object({ at: moment, linksEpoch: v.number(), of: moment }), storedContact]),
  /** Her customer at Stripe is that of who has the place, see `fitCustomer`. */
  'customer-fitted': bare,
  /** A payment of the balance is asked for at Stripe, under the key that is the id of this. */
  'balance-asked': bare,
  recovered: bare,
  forgotten: bare,
  'looked-at': bare,
  /** A user of the office noted something about it, and perhaps that she is to be called back. */
  note: v.object({ ...done, text: v.string() }),
  withdrawal: v.object({ ...done, why: v.optional(v.picklist(['bounced', 'mistake']), 'mistake') }),
  scheduleTold: v.object({ ...done, revision: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  recordings: v.object({ ...done, url }),
  room: v.object({ ...done, url }),
  message: v.object({
    ...done,
    message: v.string(),
    subject: v.string(),
    text: v.string(),
    to: v.string(),
    count: v.number(),
  }),
  'message-stopped': v.object({ ...done, message: v.string() }),
  'message-test': v.object({ ...done, subject: v.string(), text: v.string() }),
};
export type ActKind = keyof typeof actSchemas;

/** The kind of act that takes another one back: `ActRow.undoes` says which. */
export const WITHDRAWAL = 'withdrawal' satisfies ActKind;
