import type { RegistrationRow } from '#server/database/schema.ts';
import {
  addressDigest,
  type DepositMailKind,
  type DepositPaymentOf,
  type DepositState,
  doesOfficeKnow,
  isDepositMail,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  mailRules,
  timesTold,
} from '#server/mail/job.ts';
import type { Deposited } from '#server/mail/job-facts.ts';
import { type EndedLetter, endOf } from '#server/mail/letter-log.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { isUndeliverable, parseBounced } from './bounces.ts';
import { readDecisions } from './decisions.ts';
import {
  actsOfHolder,
  agreedBalanceOf,
  agreementOf,
  correctedDetails,
  correctionsOf,
  depositOf,
  detailOf,
  type HandedOver,
  handedOverOf,
  type OnRecord,
} from './on-record.ts';
import { depositStandingOf, type ReceivedOnRecord, readReceived } from './received.ts';
import { registrantIn, secondOf } from './registrations.ts';

/** Before she pays, anybody may have typed her address: letters go to the one that she began with, and to one more. */
const MOST_ADDRESSES = 2;

type LettersTo = Pick<RegistrationRow, 'lettersTo'>;

/** Why the letters about a registration wait until it is paid: there are two other addresses, or too many such letters. */
export type Withheld = 'third-address' | 'too-many';

/** Why no letter may go to the present address of a registration before it is paid; undefined if letters may. */
function withheldFor({ lettersTo, email }: LettersTo & { email: string }): Withheld | undefined {
  const addresses = addressesIn(lettersTo);
  if (addresses.includes(addressDigest(email))) return undefined;
  return addresses.length >= MOST_ADDRESSES ? 'third-address' : 'too-many';
}

/** Whether an address may be added, so that it must be asked whether the limits allow another letter. */
export function mayAddAddress({ lettersTo }: LettersTo, email: string): boolean {
  return withheldFor({ lettersTo, email }) === 'too-many';
}

/** The addresses of a registration after one was added, if that may be. */
export function lettersToAlso({ lettersTo }: LettersTo, email: string): string {
  return mayAddAddress({ lettersTo }, email)
    ? [...addressesIn(lettersTo), addressDigest(email)].join(' ')
    : lettersTo;
}

function addressesIn(lettersTo: string): string[] {
  return lettersTo.split(' ').filter((digest) => digest !== '');
}

/** A letter about the deposit. */
type DepositMail = MailOf<DepositMailKind>;
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The office is told of details that nobody has paid for, and of one change of them: of the last one once it is paid. */
const MOST_TOLD_UNPAID = 2;

/** The letters that are due: true now, neither sent nor dismissed, nor withheld. */
export function lettersOwed(onRecord: OnRecord): DepositMail[] {
  return withheldNow(onRecord) === undefined ? lettersToOwe(onRecord) : [];
}

function lettersToOwe(onRecord: OnRecord): DepositMail[] {
  const told = timesTold(toldLast(onRecord.endedLetters));
  const isPaid = letterFactsOf(onRecord)?.state === 'paid';
  const tellsOfChange = told > 0 && (isPaid || told < MOST_TOLD_UNPAID);
  return lettersDue(onRecord).filter(
    ({ kind }) => mailRules[kind].owed !== 'after a change' || tellsOfChange,
  );
}

/** Why no letter about a registration goes out before it is paid; undefined if letters do, or it is paid. */
function withheldNow(onRecord: OnRecord): Withheld | undefined {
  const { registration } = onRecord;
  return registration && letterFactsOf(onRecord)?.state === 'unpaid' ? withheldFor(registration) : undefined;
}

/** The status of each letter of a registration; a letter that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed' | Withheld>>;

/**
 * The status of the letters of a registration; of the later ones that are not sent, none.
 * @param since when it came to her who has it now: what was sent to others before is left out
 */
export function lettersOf(onRecord: OnRecord, since = new Date(0)): Letters {
  const ended = onRecord.endedLetters.filter(({ at }) => at >= since);
  const status = withheldNow(onRecord) ?? 'owed';
  const owed = lettersToOwe(onRecord).map(({ kind }) => [kind, status]);
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...ended.map(({ kind, state }) => [kind, state]), ...owed]);
}

/** The mails due after a deposit was paid; undefined when its registrant cannot be read. */
export function lettersOfPayment(onRecord: OnRecord): DepositMail[] | undefined {
  if (letterFactsOf(onRecord)?.state !== 'paid') return undefined;
  return lettersDue(onRecord).filter(({ kind }) => mailRules[kind].owed === 'once paid');
}

/** A letter is not due at an address that bounces. */
function lettersDue(onRecord: OnRecord): DepositMail[] {
  const { endedLetters, bounces } = onRecord;
  const facts = letterFactsOf(onRecord);
  return DEPOSIT_KINDS.flatMap((kind) => {
    const letter = facts && letterIn(kind, facts);
    if (!letter || isEnded(letter, endedLetters)) return [];
    return isUndeliverable(letter, bounces.map(parseBounced)) ? [] : [letter];
  });
}

/**
 * Whether a mail was sent or dismissed. The office is notified of a registration and its payment once each.
 */
export function isEnded(letter: DepositMail, ended: readonly EndedLetter[]): boolean {
  if (mailRules[letter.kind].owed === 'after a change' && doesOfficeKnow(toldLast(ended), letter))
    return true;
  return endOf(letter, ended) !== undefined;
}

/** What the office was told last, see `toldBy`. */
function toldLast(ended: readonly EndedLetter[]): string | undefined {
  return ended.findLast(({ told, state }) => told !== undefined && state === 'sent')?.told;
}

/**
 * The mail of a kind with a deposit's current facts, sent or not; undefined when its condition does not hold.
 */
export function depositLetterNow(kind: DepositMailKind, onRecord: OnRecord): DepositMail | undefined {
  const facts = letterFactsOf(onRecord);
  return facts && letterIn(kind, facts);
}

interface Rule {
  appliesWhile: readonly DepositState[];
  ofPayment?: DepositPaymentOf;
  says: object;
}
const rules: Readonly<Record<DepositMailKind, Rule>> = mailRules;

function letterIn(
  kind: DepositMailKind,
  { state, ofPayment, hers, deposited }: LetterFacts,
): DepositMail | undefined {
  const rule = rules[kind];
  if (!rule.appliesWhile.includes(state)) return undefined;
  if (rule.ofPayment !== undefined && rule.ofPayment !== ofPayment) return undefined;
  const said = Object.fromEntries(Object.entries(deposited).filter(([fact]) => fact in rule.says));
  const letter: object = { kind, ...hers, ...said };
  // The rule of each kind names all that it says; what TypeScript cannot follow is that this is what was picked.
  return letter as DepositMail;
}

type LetterFacts = NonNullable<ReturnType<typeof letterFactsOf>>;

/** What decides which letters about a deposit are true, and all that they say. */
function letterFactsOf(onRecord: OnRecord) {
  const deposit = depositOf(onRecord);
  const { registration: row, acts, endedLetters } = onRecord;
  const edition = deposit && findEdition(deposit.edition);
  if (!edition || !row || row.forgottenAt !== null) return undefined;
  const standing = depositStandingOf(onRecord, edition);
  const isPaid = standing.deposit === 'paid' && deposit.asMade === 1;
  const isToBePaid = deposit.status === 'open' && deposit.asMade === 1 && row.source !== 'office';
  if (!isPaid && !isToBePaid) return undefined;
  const state: DepositState = isPaid ? 'paid' : 'unpaid';
  const { id: paymentIntentId, madeAt } = deposit;
  const amountCents = isPaid ? standing.depositCents : deposit.cents;
  const { linksEpoch } = row;
  const handedOver = handedOverOf(acts);
  const own = { acts: actsOfHolder(acts) };
  const termsVersion = agreementOf(own)?.version;
  const corrected = detailsBefore(own);
  // Who got the place from somebody else did not pay the deposit.
  const ofPayment =
    readDecisions(acts).cancel || handedOver
      ? undefined
      : secondOf(onRecord) === undefined
        ? ('first' as const)
        : ('second' as const);
  const hers = {
    paymentIntentId,
    edition: edition.facts.id,
    ...registrantIn(row),
    linksEpoch: linksEpoch || undefined,
    agreed: agreedBalanceOf(onRecord),
  };
  const deposited: Deposited = {
    addressHasPlace: row.addressHasPlace === 1 || undefined,
    told: toldLast(endedLetters),
    before: corrected ?? (handedOver && holderBefore(handedOver)),
    isHandedOver: (handedOver && !corrected) || undefined,
    paid: isPaid,
    amountCents,
    paidAt: standing.paidAt?.toISOString() ?? madeAt,
    by: isPaid ? wayOf(standing, readReceived(acts)) : undefined,
    termsVersion,
    isSecond: ofPayment === 'second' || undefined,
  };
  return { state, ofPayment, hers, deposited };
}

function detailsBefore(onRecord: Pick<OnRecord, 'acts'>): MailOf<'office-change'>['before'] {
  const corrected = Object.entries(correctionsOf(onRecord));
  if (corrected.length === 0) return undefined;
  return Object.fromEntries(
    corrected.map(([detail, { was, at, by }]) => [detail, { was, until: at.toISOString(), by }]),
  );
}

/** How a deposit was paid that no card paid. */
function wayOf(
  { depositDueCents, depositCents }: ReturnType<typeof depositStandingOf>,
  { counting }: ReceivedOnRecord,
): Deposited['by'] {
  if (depositDueCents === undefined) return undefined;
  return depositCents === 0 ? 'scholarship' : counting.at(0)?.way;
}

/** Who had the place before. */
function holderBefore({ at, ...was }: HandedOver): MailOf<'office-change'>['before'] {
  const before = { until: at.toISOString(), by: 'both of them' };
  return Object.fromEntries(
    correctedDetails.map((detail) => [detail, { ...before, was: detailOf(was, detail) }]),
  );
}
