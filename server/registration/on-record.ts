import * as v from 'valibot';
import type { Database } from '#server/database/database.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import { CONTACT_FIELDS, type Contact, contactIn, storedContact } from '#shared/registration.ts';
import { done, factsOfAct, lastOfKind, moment, spoken } from './acts.ts';
import { nameOf } from './registrations.ts';

export interface Register {
  database: Database;
}

/** Her e-mail address, and the one that it was corrected from, in lower case. */
export function addressesOf({ address }: RegistrationRow, acts: readonly ActRow[]): string[] {
  const { email } = correctionsOf(actsOfHolder(acts));
  return email ? [address, email.was.toLowerCase()] : [address];
}

/** After so many wrong proofs in a day (UTC) a letter asks her whether it was she: one is a typing error. */
export const WRONG_PROOFS_TOLD = 3;

/** The kinds of acts beside decisions, see `decisions.ts`. */
export const ACTS = {
  /** She agreed to a version of the terms. */
  consent: 'consent',
  /** An attempt to pay her deposit failed: her card was declined, or 3-D Secure not passed. */
  depositFailed: 'deposit-failed',
  /** She gave another card for the balance, or her bank renewed it. */
  card: 'card',
  /** A card that she gave for the balance could not be stored. */
  cardFailed: 'card-failed',
  /** Somebody gave a wrong proof on her page: the first `WRONG_PROOFS_TOLD` of each day. */
  proofFailed: 'proof-failed',
  /** The worker has carried out her cancellation. */
  cancelled: 'cancelled',
  /** A check or a transfer came, see `received.ts`. */
  received: 'received',
  /** One of her details was corrected. */
  corrected: 'corrected',
  /** Somebody held the register, or released it; about the register, by its name. */
  hold: 'hold',
  released: 'released',
  /** Somebody has moved the register to another database; about the register, by its name. */
  moved: 'moved',
  /** Somebody else has the place since, see `hand-over.ts`. */
  handedOver: 'handed-over',
  /** Her customer at Stripe is that of who has the place, see `fitCustomer`. */
  customerFitted: 'customer-fitted',
  /** A payment of the balance is asked for at Stripe, under the key that is the id of this. */
  balanceAsked: 'balance-asked',
  /** It was recorded from Stripe, after a part of the register was lost. */
  recovered: 'recovered',
  /** Her personal data were removed. */
  forgotten: 'forgotten',
  /** A person has looked at a payment that does not match what this site creates. */
  lookedAt: 'looked-at',
  /** A user of the office took a link that shows her page. */
  officeLink: 'office-link',
  /** A user of the office noted something about it, see `notes.ts`. */
  note: 'note',
  /** She was called back, as the notes before asked. */
  calledBack: 'called-back',
} as const;

const consentSchema = v.pipe(
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
);
export type Agreement = v.InferOutput<typeof consentSchema>;

export function agreementOf(acts: readonly ActRow[]): Agreement | undefined {
  return lastOfKind(acts, ACTS.consent, consentSchema);
}

/** When her cancellation was carried out, so that what goes back is ordered; undefined until then. */
export function carriedOutOf(acts: readonly ActRow[]): { at: Date } | undefined {
  return lastOfKind(acts, ACTS.cancelled, v.object({ at: moment }));
}

/** When users of the office took links that show her page, and who, the oldest first. */
export function officeLinksOf(acts: readonly ActRow[]) {
  return acts.filter(({ kind }) => kind === ACTS.officeLink).map((act) => factsOfAct(act, v.object(done)));
}

/** What is compared, corrected and recorded as one detail each: her name, and every other field of a contact. */
export const correctedDetails = [
  'name' as const,
  ...CONTACT_FIELDS.filter((field) => field !== 'firstName' && field !== 'lastName'),
];
export type CorrectedDetail = (typeof correctedDetails)[number];

/** A detail of somebody, as it is shown. */
export function detailOf(contact: Contact, detail: CorrectedDetail): string {
  return detail === 'name' ? nameOf(contact) : contactIn(contact)[detail];
}

/** What a detail was before it was corrected, when that was, and by whom. */
const correction = v.object({ was: v.string(), at: moment, by: v.string() });
export type Corrections = Partial<Record<CorrectedDetail, v.InferOutput<typeof correction>>>;

const correctedSchema = v.object({ ...correction.entries, detail: v.picklist(correctedDetails) });

export function correctionsOf(acts: readonly ActRow[]): Corrections {
  return Object.fromEntries(readCorrected(acts).map(({ detail, ...rest }) => [detail, rest]));
}

const handedOverSchema = v.intersect([
  v.object({
    at: moment,
    /** Links to the page, and what was to store a card, that name a smaller number were hers. */
    linksEpoch: v.number(),
    /** When it was decided. */
    of: moment,
  }),
  /** Who had the place before. */
  storedContact,
]);
/** A place that somebody else has since. */
export type HandedOver = v.InferOutput<typeof handedOverSchema>;

/** How a place came to who has it now; undefined if she is the first one. */
export function handedOverOf(acts: readonly ActRow[]): HandedOver | undefined {
  return lastOfKind(acts, ACTS.handedOver, handedOverSchema);
}

/** The acts since the place is hers who has it now: an earlier consent, card or correction is not hers. */
export function actsOfHolder(acts: readonly ActRow[]): readonly ActRow[] {
  return acts.slice(acts.findLastIndex(({ kind }) => kind === ACTS.handedOver) + 1);
}

/** Her name and her e-mail address when she paid her deposit. */
export function paidAsOf(
  acts: readonly ActRow[],
  { firstName, lastName, email }: RegistrationRow,
  paidAt: Date,
): { name: string; email: string } {
  const since = readCorrected(acts).filter(({ at }) => at >= paidAt);
  const was = (one: CorrectedDetail) => since.find(({ detail }) => detail === one)?.was;
  return { name: was('name') ?? `${firstName} ${lastName}`, email: was('email') ?? email };
}

/** The corrections among acts, in their order. */
export function readCorrected(acts: readonly ActRow[]) {
  return acts.filter(({ kind }) => kind === ACTS.corrected).map((act) => factsOfAct(act, correctedSchema));
}
