import * as v from 'valibot';
import type { Database } from '#server/database/database.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import { CONTACT_FIELDS, type Contact, contactIn, storedContact } from '#shared/registration.ts';
import { cents, done, lastAct, moment, parseAct, spoken } from './acts.ts';
import { nameOf } from './registrations.ts';

export interface Register {
  database: Database;
}

/** After so many wrong proofs in a day (UTC) a letter asks her whether it was she: one is a typing error. */
export const WRONG_PROOFS_TOLD = 3;

/** What is compared, corrected and recorded as one detail each: her name, and every other field of a contact. */
export const correctedDetails = [
  'name' as const,
  ...CONTACT_FIELDS.filter((field) => field !== 'firstName' && field !== 'lastName'),
];
export type CorrectedDetail = (typeof correctedDetails)[number];

const bare = v.object(done);
const url = v.pipe(v.string(), v.url(), v.startsWith('https://'));

/** What each kind of act tells; of decisions see `decisions.ts`. */
const schemas = {
  /** She agreed to a version of the terms. */
  consent: v.pipe(
    v.object({
      version: v.string(),
      /** The digest of the text, see `Terms`. */
      digest: v.string(),
      ...done,
      ...v.partial(v.object(spoken)).entries,
    }),
    v.transform(({ at: agreedAt, by, how, on, ...terms }) => {
      // Where she agreed on the page herself, she did not say so to anybody.
      return { ...terms, agreedAt, ...(how && on && { spoken: { how, on, by } }) };
    }),
  ),
  /** An attempt to pay her deposit failed: her card was declined, or 3-D Secure not passed. */
  'deposit-failed': bare,
  /** She gave another card for the balance, or her bank renewed it. */
  card: v.pipe(
    v.object({
      at: moment,
      /** The id of the Stripe payment method. */
      id: v.string(),
      /** As Stripe names it, such as `visa`. */
      brand: v.string(),
      last4: v.string(),
      expMonth: v.number(),
      expYear: v.number(),
    }),
    v.transform(({ at: since, ...card }) => ({ ...card, since })),
  ),
  /** A card that she gave for the balance could not be stored. */
  'card-failed': bare,
  /** Somebody gave a wrong proof on her page: the first `WRONG_PROOFS_TOLD` of each day. */
  'proof-failed': bare,
  /** The worker has carried out her cancellation. */
  cancelled: v.object({ at: moment }),
  /** A check or a transfer came, see `received.ts`. */
  received: v.object({
    ...done,
    way: v.picklist(['check', 'transfer']),
    /** US cents. The act does not keep them: its entry does. */
    cents: v.optional(cents, 0),
    /** When it came. */
    on: moment,
    /** The number of the check, or the reference of the transfer. */
    number: v.exactOptional(v.string()),
  }),
  /** One of her details was corrected; what it was before. */
  corrected: v.object({ ...done, detail: v.picklist(correctedDetails), was: v.string() }),
  /** Somebody held the register, or released it; about the register, by its name. */
  hold: bare,
  released: bare,
  /** Somebody has moved the register to another database; about the register, by its name. */
  moved: bare,
  /** Somebody else has the place since, see `hand-over.ts`; the details are of who had it before. */
  'handed-over': v.intersect([
    v.object({
      at: moment,
      /** Links to the page, and what was to store a card, that name a smaller number were hers. */
      linksEpoch: v.number(),
      /** When it was decided. */
      of: moment,
    }),
    storedContact,
  ]),
  /** Her customer at Stripe is that of who has the place, see `fitCustomer`. */
  'customer-fitted': bare,
  /** A payment of the balance is asked for at Stripe, under the key that is the id of this. */
  'balance-asked': bare,
  /** It was recorded from Stripe, after a part of the register was lost. */
  recovered: bare,
  /** Her personal data were removed. */
  forgotten: bare,
  /** A person has looked at a payment that does not match what this site creates. */
  'looked-at': bare,
  /** A user of the office took a link that shows her page. */
  'office-link': bare,
  /** A user of the office noted something about it, see `notes.ts`. */
  note: v.object({
    ...done,
    text: v.string(),
    /** Somebody is to call her back. */
    callBack: v.exactOptional(v.literal(true)),
  }),
  /** She was called back, as the notes before asked. */
  'called-back': bare,
  /** It takes back a decision, a note or a payment, which `ActRow.undoes` names; `why` a payment no longer counts. */
  withdrawal: v.object({ ...done, why: v.optional(v.picklist(['bounced', 'mistake']), 'mistake') }),
  /** About an edition: the schedule has changed, to this revision. */
  scheduleTold: v.object({ ...done, revision: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  /** Where the recordings are. */
  recordings: v.object({ ...done, url }),
  /** Where the video room is. */
  room: v.object({ ...done, url }),
  /**
   * The office has written to so many people of a group, has stopped that, or has tried it out. Words to many hold nothing
   * personal that would have to be forgotten.
   */
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
export type ActKind = keyof typeof schemas;
/** What an act of a kind tells, with its moment and who did it. */
export type ActFacts<Kind extends ActKind> = v.InferOutput<(typeof schemas)[Kind]>;
export type Agreement = ActFacts<'consent'>;

/** @throws {AppError} when it is not what this site writes */
export function factsOfAct<Kind extends ActKind>(act: ActRow, kind: Kind): ActFacts<Kind> {
  return parseAct(act, schemas[kind]);
}

/** What the acts of a kind tell, in their order. */
export function allOfKind<Kind extends ActKind>(acts: readonly ActRow[], kind: Kind): ActFacts<Kind>[] {
  return acts.filter((act) => act.kind === kind).map((act) => factsOfAct(act, kind));
}

/** What the last act of a kind tells; undefined where there is none. */
export function lastOfKind<Kind extends ActKind>(
  acts: readonly ActRow[],
  kind: Kind,
): ActFacts<Kind> | undefined {
  const act = lastAct(acts, kind);
  return act && factsOfAct(act, kind);
}

/** Her e-mail address, and the one that it was corrected from, in lower case. */
export function addressesOf({ address }: RegistrationRow, acts: readonly ActRow[]): string[] {
  const { email } = correctionsOf(actsOfHolder(acts));
  return email ? [address, email.was.toLowerCase()] : [address];
}

/** A detail of somebody, as it is shown. */
export function detailOf(contact: Contact, detail: CorrectedDetail): string {
  return detail === 'name' ? nameOf(contact) : contactIn(contact)[detail];
}

/** What each detail was before it was last corrected, when that was, and by whom. */
export type Corrections = Partial<Record<CorrectedDetail, Omit<ActFacts<'corrected'>, 'detail'>>>;

export function correctionsOf(acts: readonly ActRow[]): Corrections {
  return Object.fromEntries(allOfKind(acts, 'corrected').map(({ detail, ...rest }) => [detail, rest]));
}

/** The acts since the place is hers who has it now: an earlier consent, card or correction is not hers. */
export function actsOfHolder(acts: readonly ActRow[]): readonly ActRow[] {
  return acts.slice(acts.findLastIndex(({ kind }) => kind === 'handed-over') + 1);
}

/** Her name and her e-mail address when she paid her deposit. */
export function paidAsOf(
  acts: readonly ActRow[],
  contact: RegistrationRow,
  paidAt: Date,
): { name: string; email: string } {
  const since = allOfKind(acts, 'corrected').filter(({ at }) => at >= paidAt);
  const was = (one: CorrectedDetail) => since.find(({ detail }) => detail === one)?.was;
  return { name: was('name') ?? nameOf(contact), email: was('email') ?? contact.email };
}
