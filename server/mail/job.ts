import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import { SENT_KEPT_DAYS } from '#shared/kept-for.ts';
import type { Act, Charge, LetterFacts } from './job-facts.ts';

export type MailKind = keyof LetterFacts;
export type MailJob = { [Kind in MailKind]: { kind: Kind } & LetterFacts[Kind] }[MailKind];
export type MailOf<Kind extends MailKind> = Extract<MailJob, { kind: Kind }>;
/** A mail about an entry of the waiting list, which has no payment. */
export type WaitingMail = MailOf<WaitingMailKind>;
export type PersonMail = Exclude<MailJob, { kind: KindAbout<'edition'> }>;
export type RegistrationMail = Exclude<PersonMail, { kind: WaitingMailKind }>;

/**
 * What distinguishes a letter from others of its kind about the same subject: it is another letter if this differs, and
 * the same one otherwise, however often it is queued.
 */
export interface Identity<Letter> {
  /**
   * Besides her address, which distinguishes each letter to her: one to a corrected address is another one. Nothing where
   * there is one letter of the kind for each address, or one to the office.
   */
  differsBy?: (letter: Letter) => readonly (string | number | undefined)[];
  /** In place of all that, the whole version in plain words. */
  version?: (letter: Letter) => string;
}

/** What a mail is about, and to whom it goes: `elsewhere` is an address that is not hers now, but was, or may become hers. */
type Purpose =
  /** About a registration. Its letter in `server/letters/` says when it is true. */
  | {
      about: 'registration';
      to: 'registrant' | 'office' | 'elsewhere';
      /** It tells when her card will be charged, and how much: without it nothing is charged. */
      announcesCharge?: true;
      /** It is about a charge or its receipt: each part of a payment plan has its own. */
      eachPart?: true;
      /** What the office has announced decides when it is due, and what it says. */
      isAnnounced?: true;
      /** It comes due for everybody at the same moment: letters to one person are sent before it. */
      toAll?: true;
    }
  /** Sent because somebody asked for it. */
  | { about: 'request'; to: 'registrant'; toAll?: true }
  /** About an entry of the waiting list. Its letter in `server/letters/` says when it is true. */
  | { about: 'waiting'; to: 'registrant' | 'office' }
  /** Not about one registration. */
  | { about: 'edition'; to: 'office' };

interface Asking<Letter> {
  /** It asks for money, or says that something is not paid. See `asksToPay`. */
  asksToPay?: true | ((letter: Letter) => boolean);
}

type MailRule<Letter> = Purpose & Identity<Letter> & Asking<Letter>;

/**
 * What distinguishes letters about a coming charge: she is told of each date and sum, also of one that was changed and
 * changed back, since the notice before differs then.
 */
const ofCharge = ({ dueAt, cents, noticedAt }: Charge) => [dueAt, cents, noticedAt];
const ofMoment = ({ at }: Act) => [at];

const TO_HER = { about: 'registration', to: 'registrant' } as const;
const TO_OFFICE = { about: 'registration', to: 'office' } as const;

export const mailRules = {
  'registration-received': TO_HER,
  'office-notice': TO_OFFICE,
  welcome: TO_HER,
  'office-paid': TO_OFFICE,
  unfinished: { ...TO_HER, asksToPay: true, version: () => 'once' },
  'balance-notice': { ...TO_HER, announcesCharge: true, eachPart: true, differsBy: ofCharge },
  'balance-reminder': { ...TO_HER, eachPart: true, differsBy: ofCharge },
  'balance-postponed': { ...TO_HER, announcesCharge: true, differsBy: ofCharge },
  'card-expires': { ...TO_HER, asksToPay: true, differsBy: ({ card }) => [card.id] },
  'card-on-file': { ...TO_HER, differsBy: ofMoment },
  'please-pay': {
    ...TO_HER,
    asksToPay: true,
    eachPart: true,
    differsBy: ({ dueAt, cents, changedAt, isToAgree }) => [
      dueAt,
      cents,
      changedAt,
      ...(isToAgree ? ['to agree'] : []),
    ],
  },
  'balance-failed': {
    ...TO_HER,
    eachPart: true,
    differsBy: ({ card, triedBefore, stage, part }) => [
      card.id,
      triedBefore,
      stage,
      ...(part ? [part.number] : []),
    ],
  },
  'place-held': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'place-held-reminder': { ...TO_HER, asksToPay: true, differsBy: ({ until }) => [until] },
  'place-lapsed': { ...TO_HER, asksToPay: true, differsBy: ({ until }) => [until] },
  'tuition-reduced': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'payment-received': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'payment-returned': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'payment-plan': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'part-paid': { ...TO_HER, eachPart: true, differsBy: ({ payment }) => [payment.reference] },
  'balance-paid': {
    ...TO_HER,
    differsBy: ({ balance }) => balance.map(({ reference, paidAt }) => reference ?? paidAt),
  },
  'cancel-received': { ...TO_HER, differsBy: ofMoment },
  'office-cancel': { ...TO_OFFICE, differsBy: ofMoment },
  'cancel-undone': { ...TO_HER, asksToPay: true, differsBy: ofMoment },
  'office-cancel-undone': { ...TO_OFFICE, differsBy: ofMoment },
  cancelled: { ...TO_HER, differsBy: ofMoment },
  'refund-failed': { ...TO_HER, differsBy: ({ refund }) => [refund] },
  'refund-made': { ...TO_HER, differsBy: ofMoment },
  questions: { ...TO_HER, toAll: true, version: () => 'once' },
  'test-session': { ...TO_HER, toAll: true, isAnnounced: true, differsBy: ({ startsAt }) => [startsAt] },
  'way-in': {
    ...TO_HER,
    toAll: true,
    isAnnounced: true,
    asksToPay: ({ isOpen }) => !isOpen,
    differsBy: ({ day }) => [day],
  },
  'confirm-address': { about: 'registration', to: 'elsewhere', differsBy: ofMoment },
  'address-changed': { about: 'registration', to: 'elsewhere', differsBy: ofMoment },
  'hand-over-asked': { ...TO_HER, differsBy: ofMoment },
  'hand-over-offered': { about: 'registration', to: 'elsewhere', differsBy: ofMoment },
  'handed-over': { ...TO_HER, differsBy: ofMoment },
  'handed-away': { about: 'registration', to: 'elsewhere', differsBy: ofMoment },
  'payer-refunded': { about: 'registration', to: 'elsewhere', differsBy: ofMoment },
  'schedule-changed': { ...TO_HER, toAll: true, isAnnounced: true, differsBy: ({ revision }) => [revision] },
  recordings: { ...TO_HER, toAll: true, isAnnounced: true },
  'proof-failed': { ...TO_HER, differsBy: ofMoment },
  'place-link': { about: 'request', to: 'registrant', version: ({ request }) => request },
  message: { about: 'request', to: 'registrant', toAll: true, version: ({ message }) => message },
  'message-test': { about: 'edition', to: 'office', version: ({ message }) => message },
  'page-seen': { ...TO_HER, differsBy: ({ day }) => [day] },
  'waiting-received': {
    about: 'waiting',
    to: 'registrant',
    differsBy: ({ joinedAt, askedOn }) => [joinedAt, askedOn],
  },
  'office-waiting': { about: 'waiting', to: 'office', differsBy: ({ joinedAt }) => [joinedAt] },
  'place-offered': { about: 'waiting', to: 'registrant', differsBy: ({ until }) => [until] },
  'office-digest': { about: 'edition', to: 'office', asksToPay: true, version: ({ day }) => day },
} as const satisfies { [Kind in MailKind]: MailRule<MailOf<Kind>> };

/** The kinds that go to somebody. */
export type MailKindTo<To extends 'registrant' | 'office' | 'elsewhere'> = {
  [Kind in MailKind]: (typeof mailRules)[Kind]['to'] extends To ? Kind : never;
}[MailKind];
type KindAbout<About> = {
  [Kind in MailKind]: (typeof mailRules)[Kind]['about'] extends About ? Kind : never;
}[MailKind];
type KindThat<Says extends string> = {
  [Kind in MailKind]: (typeof mailRules)[Kind] extends Record<Says, true> ? Kind : never;
}[MailKind];
export type KeptMailKind = KindAbout<'registration'>;
export type WaitingMailKind = KindAbout<'waiting'>;
export type AnnouncedMailKind = KindThat<'isAnnounced'>;

export const isKeptMail = (kind: MailKind): kind is KeptMailKind => mailRules[kind].about === 'registration';
export const isWaitingMail = (kind: MailKind): kind is WaitingMailKind => mailRules[kind].about === 'waiting';
export const isAboutWaiting = (job: MailJob): job is WaitingMail => isWaitingMail(job.kind);
export const isAboutPerson = (job: MailJob): job is PersonMail => mailRules[job.kind].about !== 'edition';
export const isAboutRegistration = (job: MailJob): job is RegistrationMail =>
  isAboutPerson(job) && !isAboutWaiting(job);

export const isKind = (name: string): name is MailKind => name in mailRules;
export const MAIL_KINDS: readonly MailKind[] = Object.keys(mailRules).filter(isKind);

/** Whether a letter tells when her card will be charged, and how much: without it nothing is charged. */
export function announcesCharge<Letter extends { kind: MailKind }>(
  letter: Letter,
): letter is Letter & { kind: KindThat<'announcesCharge'> } {
  return 'announcesCharge' in mailRules[letter.kind];
}

const asking: { readonly [Kind in MailKind]: Asking<MailOf<Kind>> & { to: string } } = mailRules;

/**
 * Whether a letter asks for money, or says that something is not paid. A lost webhook must not make that untrue: it waits
 * until catch-up with Stripe has passed the moment at which it fell due, and while a payment of hers is processing.
 */
export function asksToPay(letter: MailJob): boolean {
  return asksIn(letter.kind, letter);
}

function asksIn<Kind extends MailKind>(kind: Kind, letter: MailOf<Kind>): boolean {
  const { asksToPay: asks = false } = asking[kind];
  return typeof asks === 'function' ? asks(letter) : asks;
}

/** Whether each part of a payment plan has its own letter of this kind. */
export const isOfEachPart = (kind: MailKind): boolean => 'eachPart' in mailRules[kind];

/** Whether what the office has announced decides when a letter is due, and what it says. */
export const isAnnounced = (kind: MailKind): kind is AnnouncedMailKind => 'isAnnounced' in mailRules[kind];

/** The kinds of letters about a registration: those that can be sent again. */
export const KEPT_MAIL_KINDS: readonly KeptMailKind[] = MAIL_KINDS.filter(isKeptMail);

/** The name of a message of the office: its kind and its id, of which `message.ts` in `server/letters/` makes sixteen digits. */
type MessageName = `message-${string}`;
/** A letter that can be sent again: its kind, or which of the office's messages it is. */
export type KeptLetter = KeptMailKind | MessageName;

const MESSAGE = 'message-';
export const isMessageName = (name: string): name is MessageName => /^message-[0-9a-f]{16}$/.test(name);
export const messageIdOf = (name: MessageName): string => name.slice(MESSAGE.length);
export const isKeptLetter = (name: unknown): name is KeptLetter =>
  typeof name === 'string' && (isMessageName(name) || KEPT_MAIL_KINDS.some((kind) => kind === name));
/** Which letter it is among those to one person that can be sent again. */
export const letterName = ({ kind, version }: { kind: MailKind; version: string }): string =>
  kind === 'message' ? `${MESSAGE}${version}` : kind;

/** Whether a mail goes to the office, whose address is configured, and not to the registrant. */
export function goesToOffice({ kind }: Pick<MailJob, 'kind'>): boolean {
  return mailRules[kind].to === 'office';
}

/** The address of a letter to a registrant: her present one, unless it goes elsewhere. */
export function addresseeOf(job: PersonMail): string {
  return 'to' in job ? job.to : job.email;
}

const DIGEST_LENGTH = 8;

/** A short digest, to compare texts without storing them. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

/** A short, case-insensitive digest of an e-mail address, to compare the address without storing it. */
export function addressDigest(email: string): string {
  return shortDigest(email.toLowerCase());
}

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

const DAY_S = 24 * 60 * 60;

/** How long a sent mail stays on the queue, and its address on record, in seconds; the privacy text says so. */
export const SENT_KEPT_S = SENT_KEPT_DAYS * DAY_S;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
const JITTER = 0.2;

/**
 * Retries go on for more than three days, see `mailBackoffMs`. Sent jobs stay for thirty days, for support, or a day where
 * nobody has paid (`removeOld` in `due-work.ts`); failed ones stay until a person acts. Of a job's errors only the latest are kept.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 108,
  backoff: { type: 'capped' },
  stackTraceLimit: 20,
  removeOnComplete: { age: SENT_KEPT_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/** BullMQ takes jobs without a priority before jobs that have one, whatever was queued first. */
const AFTER_ALL_OTHERS = 1;

/**
 * With which priority a letter is queued: letters to everyone wait for those to one person, and so for a copy that
 * somebody asked for.
 */
export function priorityOf({ kind, again }: { kind: MailKind; again: boolean }): { priority?: number } {
  return 'toAll' in mailRules[kind] && !again ? { priority: AFTER_ALL_OTHERS } : {};
}

/**
 * How long a mail waits after its attempts so far: five seconds, doubled after each attempt, an hour at most,
 * minus a random part of up to a fifth.
 */
export function mailBackoffMs(attemptsMade: number): number {
  const mostMs = Math.min(FIRST_RETRY_MS * 2 ** (attemptsMade - 1), LONGEST_RETRY_MS);
  return Math.round(mostMs * (1 - JITTER * Math.random()));
}

/** The id of a mail by its kind, subject and version: a mail that is added twice is queued once. */
export function mailJobId(job: MailJob): string {
  return `${job.kind}-${idOfSubject(job)}-${mailVersion(job)}`;
}

/** The id of another copy of a letter that was sent; its name distinguishes it from others. */
export function copyId(letter: RegistrationMail, name: string): string {
  return `${mailJobId(letter)}-again-${name}`;
}

/** The id of a mail's subject: a registration, an entry of the waiting list, or an edition. */
export function idOfSubject(job: MailJob): string {
  if (isAboutRegistration(job)) return job.registration;
  return isAboutWaiting(job) ? job.waitingId : job.edition;
}

/** Distinguishes mails of the same kind and subject, as the rule of the kind says. */
export function mailVersion(job: MailJob): string {
  return versionOf(job.kind, job);
}

const identities: { readonly [Kind in MailKind]: Identity<MailOf<Kind>> & { to: string } } = mailRules;

function versionOf<Kind extends MailKind>(kind: Kind, job: MailOf<Kind>): string {
  const { version, differsBy }: Identity<MailOf<Kind>> = identities[kind];
  if (version) return version(job);
  const to = isAboutPerson(job) && !goesToOffice(job) ? [addresseeOf(job).toLowerCase()] : [];
  const facts = [...to, ...(differsBy?.(job) ?? [])];
  return facts.length > 0 ? shortDigest(facts.map((fact) => fact ?? '').join(' ')) : 'office';
}

/**
 * The Message-ID of a job's mail. It derives from the job, so that a mail sent twice is recognized as the
 * same one.
 */
export function messageIdHeader(jobId: string, from: string): string {
  return `<${jobId}@${domainOf(from)}>`;
}

function domainOf(from: string): string {
  return /@([\w.-]+)/.exec(from)?.[1] ?? 'localhost';
}
