import { toldBy } from './digests.ts';
import type {
  Act,
  AskedToPay,
  Cancelled,
  Cancelling,
  Charge,
  Deposited,
  Elsewhere,
  Entry,
  Expiry,
  GivenBack,
  HeldPlace,
  NotTaken,
  OfficeItem,
  PartReceipt,
  PaymentReceived,
  PlanTold,
  Receipt,
  Refusal,
  Registrant,
  Roomless,
  ToAnother,
  Told,
  TuitionReduced,
  Undone,
  Waiting,
  Written,
} from './job-facts.ts';

/** What each kind of letter says, besides whom it is about. It contains no card number, no link and no secret. */
interface LetterFacts {
  'registration-received': Registrant & Pick<Deposited, 'addressHasPlace'>;
  /** She has not paid a day after she began: how to come back, and how to end it. */
  unfinished: Registrant;
  'office-notice': Registrant & Told;
  /** Details that the office was told have changed: to these. */
  'office-change': Registrant & Pick<Deposited, 'told' | 'paid' | 'before' | 'isHandedOver'>;
  welcome: Registrant &
    Pick<Deposited, 'amountCents' | 'termsVersion' | 'by' | 'country'> & {
      paidAt?: string;
      /** The balance has changed since, or its due moment is past: her page shows its state. */
      hasMovedOn?: true;
      /** When the letter is rendered, so that it says nothing that is past. */
      writtenAt?: string;
    };
  /** In place of the welcome: the same person had paid for a place before, and this payment is held. */
  'second-payment': Registrant & Pick<Deposited, 'amountCents' | 'paidAt'>;
  'office-paid': Registrant & Pick<Deposited, 'told' | 'amountCents' | 'isSecond' | 'by'>;
  /** Notice that her card will be charged, when and how much: without this letter in time, it is not charged. */
  'balance-notice': Registrant & Charge;
  'balance-reminder': Registrant & Charge;
  /** The same as the notice, for a date to which the office postponed the charge. */
  'balance-postponed': Registrant & Charge;
  'card-expires': Registrant & Expiry;
  'please-pay': Registrant & AskedToPay;
  'balance-failed': Registrant & Refusal;
  /** The office holds a place for her until the deposit has come. */
  'place-held': Registrant & HeldPlace;
  'place-held-reminder': Registrant & HeldPlace;
  'place-lapsed': Registrant & HeldPlace;
  /** A part of the tuition is not asked of her any more. */
  'tuition-reduced': Registrant & TuitionReduced;
  /** A check or a transfer came, and something is left to pay. */
  'payment-received': Registrant & PaymentReceived;
  'payment-returned': Registrant & PaymentReceived;
  /** Her payment plan: asks her to agree to it, or says how it stands after it was agreed to, changed, paused or ended. */
  'payment-plan': Registrant & PlanTold;
  /** A part of it is paid by card, and something is left to pay. */
  'part-paid': Registrant & PartReceipt;
  'balance-paid': Registrant & Receipt;
  /**
   * Confirms that she has cancelled, what comes back, and until when she can take it back; a second one goes
   * to the office if she cancelled on her page.
   */
  'cancel-received': Registrant & Cancelling;
  'office-cancel': Registrant & Cancelling;
  /** Confirms that her cancellation was taken back; a second one goes to the office if she took it back herself. */
  'cancel-undone': Registrant & Undone;
  'office-cancel-undone': Registrant & Undone;
  cancelled: Registrant & Cancelled;
  /** Her bank did not accept the refund: the office sends a check. */
  'refund-failed': Registrant & NotTaken;
  /** A refund that the office made as an exception, or sent by check. */
  'refund-made': Registrant & GivenBack;
  /** Asks once more for answers that she owes. */
  questions: Registrant & {
    /** The questions, as the edition asks them. */
    asked: readonly string[];
    /** Until when she can answer. */
    until: string;
  };
  /** When the test session is, in which registrants try the video service, and that her page links to it. */
  'test-session': Registrant & { startsAt: string } & Roomless;
  /** The sessions of a day, and whether her page links to the room. */
  'way-in': Registrant & Entry;
  /** To a new address that she asked for: the link with which she confirms it. */
  'confirm-address': Registrant & Elsewhere & Act;
  /** To her previous address: that her letters now go to another one. */
  'address-changed': Registrant & Elsewhere & Act & { by: 'herself' | 'the office' };
  /** Her place is to be handed over to somebody: whether she agrees. */
  'hand-over-asked': Registrant & Act & { name: string; until: string };
  /** To that person, once she has agreed: the link with which the place becomes hers. */
  'hand-over-offered': Registrant & ToAnother & Act & { from: string; decidedAt: string; until: string };
  /** To her who has the place since. */
  'handed-over': Registrant & Act & Pick<Deposited, 'termsVersion'>;
  /** The last letter to her who had it. */
  'handed-away': Registrant & ToAnother & Act & { name: string };
  /** The schedule has changed: to this revision, or to a later one by the time the letter is rendered. */
  'schedule-changed': Registrant & {
    revision: number;
    /** When the letter is rendered, so that it says nothing that is past. */
    writtenAt?: string;
  };
  /** Her page links to the recordings. */
  recordings: Registrant;
  /** Somebody gave a wrong proof on her page, and may be somebody else who has a link to it. */
  'proof-failed': Registrant & Act;
  /** The link to her page, which somebody asked for with her e-mail address, or by closing her page everywhere. */
  'place-link': Registrant & {
    /**
     * The day on which the link was asked for, and the minute of that day: `2027-02-08-605`; or how often her links had
     * been renewed when the page was closed: `closed-1`.
     */
    request: string;
  };
  /** Written by the office, to the groups of its list: not sent to a person who has left them meanwhile. */
  message: Registrant & Written & { groups: readonly string[]; hasPage?: true };
  /** The same as it reads to a sample reader, to the office, which tries it out; the id is that of the try. */
  'message-test': Written & { edition: string };
  /** A user of the office took a link that shows her page, on this day in the retreat's time zone. */
  'page-seen': Registrant & { day: string };
  /** Asks her to confirm that she wants to wait, or says that she is on the list already. */
  'waiting-received': Waiting & {
    /** Until when she can confirm that she wants to wait; absent once she is on the list. */
    until?: string;
    /** The day on which her address was last put on the list that it is on. */
    askedOn?: string;
    /** Until when a place is kept for her. */
    offeredUntil?: string;
    /** Whether the address has a paid registration for this edition: only this letter says so. */
    addressHasPlace?: boolean;
  };
  'office-waiting': Waiting;
  /** A place is hers if she takes it before `until`. */
  'place-offered': Waiting & { until: string };
  /** The list of what needs the office, once a day. */
  'office-digest': {
    edition: string;
    /** ISO date, in the retreat's time zone. */
    day: string;
    /** Empty until it is sent. */
    items: readonly OfficeItem[];
  };
}
export type MailKind = keyof LetterFacts;
/** A letter, as it is to be sent. */
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
type Purpose<Letter> =
  /** The state of the deposit decides whether the mail is owed and true. */
  | {
      about: 'deposit';
      to: 'registrant' | 'office';
      /** `after a change`: when the details are no longer those that the office was told. */
      owed: 'from the start' | 'once paid' | 'after a change';
      /** The states of the deposit in which the mail is true. */
      appliesWhile: readonly DepositState[];
      /** Of which payment for one place it is true, while she has not cancelled; of both, whatever she did, where it is absent. */
      ofPayment?: DepositPaymentOf;
      /** What it says of the deposit. */
      says: { readonly [Fact in keyof Letter & keyof Deposited]: true };
    }
  /** About what comes after the welcome. Its letter in `server/letters/` says when it is true. */
  | {
      about: 'later';
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

type MailRule<Letter> = Purpose<Letter> & Identity<Letter>;

/** The states of a deposit that matter for mails; no mail about it is true in any other state. */
export type DepositState = 'unpaid' | 'paid';
/** A second payment for one place, by the same person, is held. */
export type DepositPaymentOf = 'first' | 'second';

/**
 * What distinguishes letters about a coming charge: she is told of each date and sum, also of one that was changed and
 * changed back, since the notice before differs then.
 */
const ofCharge = ({ dueAt, cents, noticedAt }: Charge) => [dueAt, cents, noticedAt];
const ofMoment = ({ at }: Act) => [at];

const FROM_THE_START = { about: 'deposit', owed: 'from the start', appliesWhile: ['unpaid'] } as const;
const ONCE_PAID = { about: 'deposit', owed: 'once paid', appliesWhile: ['paid'] } as const;
const TO_HER = { about: 'later', to: 'registrant' } as const;

/** The rules of every kind of mail. */
export const mailRules = {
  'registration-received': { ...FROM_THE_START, to: 'registrant', says: { addressHasPlace: true } },
  'office-notice': { ...FROM_THE_START, to: 'office', says: { told: true } },
  'office-change': {
    about: 'deposit',
    to: 'office',
    owed: 'after a change',
    appliesWhile: ['unpaid', 'paid'],
    says: { told: true, paid: true, before: true, isHandedOver: true },
    version: toldBy,
  },
  welcome: {
    ...ONCE_PAID,
    to: 'registrant',
    ofPayment: 'first',
    says: { amountCents: true, termsVersion: true, paidAt: true, by: true, country: true },
  },
  'second-payment': {
    ...ONCE_PAID,
    to: 'registrant',
    ofPayment: 'second',
    says: { amountCents: true, paidAt: true },
  },
  'office-paid': {
    ...ONCE_PAID,
    to: 'office',
    says: { told: true, amountCents: true, isSecond: true, by: true },
  },
  unfinished: { ...TO_HER, version: () => 'once' },
  'balance-notice': { ...TO_HER, announcesCharge: true, eachPart: true, differsBy: ofCharge },
  'balance-reminder': { ...TO_HER, eachPart: true, differsBy: ofCharge },
  'balance-postponed': { ...TO_HER, announcesCharge: true, differsBy: ofCharge },
  'card-expires': { ...TO_HER, differsBy: ({ card }) => [card.id] },
  'please-pay': {
    ...TO_HER,
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
  'place-held': { ...TO_HER, differsBy: ofMoment },
  'place-held-reminder': { ...TO_HER, differsBy: ({ until }) => [until] },
  'place-lapsed': { ...TO_HER, differsBy: ({ until }) => [until] },
  'tuition-reduced': { ...TO_HER, differsBy: ofMoment },
  'payment-received': { ...TO_HER, differsBy: ofMoment },
  'payment-returned': { ...TO_HER, differsBy: ofMoment },
  'payment-plan': { ...TO_HER, differsBy: ofMoment },
  'part-paid': { ...TO_HER, eachPart: true, differsBy: ({ payment }) => [payment.reference] },
  'balance-paid': {
    ...TO_HER,
    differsBy: ({ balance }) => balance.map(({ reference, paidAt }) => reference ?? paidAt),
  },
  'cancel-received': { ...TO_HER, differsBy: ofMoment },
  'office-cancel': { about: 'later', to: 'office', differsBy: ofMoment },
  'cancel-undone': { ...TO_HER, differsBy: ofMoment },
  'office-cancel-undone': { about: 'later', to: 'office', differsBy: ofMoment },
  cancelled: { ...TO_HER, differsBy: ofMoment },
  'refund-failed': { ...TO_HER, differsBy: ({ refund }) => [refund] },
  'refund-made': { ...TO_HER, differsBy: ofMoment },
  questions: { ...TO_HER, toAll: true, version: () => 'once' },
  'test-session': { ...TO_HER, toAll: true, isAnnounced: true, differsBy: ({ startsAt }) => [startsAt] },
  'way-in': { ...TO_HER, toAll: true, isAnnounced: true, differsBy: ({ day }) => [day] },
  'confirm-address': { about: 'later', to: 'elsewhere', differsBy: ofMoment },
  'address-changed': { about: 'later', to: 'elsewhere', differsBy: ofMoment },
  'hand-over-asked': { ...TO_HER, differsBy: ofMoment },
  'hand-over-offered': { about: 'later', to: 'elsewhere', differsBy: ofMoment },
  'handed-over': { ...TO_HER, differsBy: ofMoment },
  'handed-away': { about: 'later', to: 'elsewhere', differsBy: ofMoment },
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
  'office-digest': { about: 'edition', to: 'office', version: ({ day }) => day },
} as const satisfies { [Kind in MailKind]: MailRule<MailOf<Kind>> };

/** The kinds that go to somebody. */
export type MailKindTo<To extends 'registrant' | 'office' | 'elsewhere'> = {
  [Kind in MailKind]: (typeof mailRules)[Kind]['to'] extends To ? Kind : never;
}[MailKind];
type KindAbout<About> = {
  [Kind in MailKind]: (typeof mailRules)[Kind]['about'] extends About ? Kind : never;
}[MailKind];
/** The kinds whose rule says that something is so. */
type KindThat<Says extends string> = {
  [Kind in MailKind]: (typeof mailRules)[Kind] extends Record<Says, true> ? Kind : never;
}[MailKind];
export type DepositMailKind = KindAbout<'deposit'>;
export type LaterMailKind = KindAbout<'later'>;
export type WaitingMailKind = KindAbout<'waiting'>;
export type AnnouncedMailKind = KindThat<'isAnnounced'>;
/** A kind of mail about a registration that can be sent again. */
export type KeptMailKind = KindAbout<'deposit' | 'later'>;

export const isDepositMail = (kind: MailKind): kind is DepositMailKind => mailRules[kind].about === 'deposit';
export const isLaterMail = (kind: MailKind): kind is LaterMailKind => mailRules[kind].about === 'later';
export const isWaitingMail = (kind: MailKind): kind is WaitingMailKind => mailRules[kind].about === 'waiting';
export const isAboutWaiting = (job: MailJob): job is WaitingMail => isWaitingMail(job.kind);
export const isAboutPerson = (job: MailJob): job is PersonMail => mailRules[job.kind].about !== 'edition';
export const isAboutRegistration = (job: MailJob): job is RegistrationMail =>
  isAboutPerson(job) && !isAboutWaiting(job);

/** Whether this release knows a kind of this name. */
export const isKind = (name: string): name is MailKind => name in mailRules;
export const MAIL_KINDS: readonly MailKind[] = Object.keys(mailRules).filter(isKind);

/** Whether a letter tells when her card will be charged, and how much: without it nothing is charged. */
export function announcesCharge<Letter extends { kind: MailKind }>(
  letter: Letter,
): letter is Letter & { kind: KindThat<'announcesCharge'> } {
  return 'announcesCharge' in mailRules[letter.kind];
}

/** Whether each part of a payment plan has its own letter of this kind. */
export const isOfEachPart = (kind: MailKind): boolean => 'eachPart' in mailRules[kind];

/** Whether what the office has announced decides when a letter is due, and what it says. */
export const isAnnounced = (kind: MailKind): kind is AnnouncedMailKind => 'isAnnounced' in mailRules[kind];

export const KEPT_MAIL_KINDS: readonly KeptMailKind[] = MAIL_KINDS.filter(
  (kind) => isDepositMail(kind) || isLaterMail(kind),
);

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
