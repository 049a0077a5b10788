import * as v from 'valibot';
import {
  act,
  amountCents,
  cancelled,
  cancelling,
  changedAddress,
  charge,
  detailsBefore,
  elsewhere,
  entry,
  expiry,
  givenBack,
  isoMoment,
  notTaken,
  officeItem,
  receipt,
  refusal,
  registrant,
  request,
  told,
  trial,
  undone,
  waiting,
} from './job-facts.ts';

/** A mail that is owed. It holds no card number, no link and no secret. */
export const mailJobSchema = v.variant('kind', [
  v.object({
    kind: v.literal('registration-received'),
    ...registrant,
    /** Whether the address has a paid registration of this edition already, under another name or a repeated one. */
    addressHasPlace: v.exactOptional(v.boolean()),
  }),
  /** Somebody's details have arrived, and she has not paid yet. */
  v.object({ kind: v.literal('office-notice'), ...registrant, ...told }),
  /** The details that the office was told are others now: these. */
  v.object({
    kind: v.literal('office-change'),
    ...registrant,
    ...told,
    paid: v.exactOptional(v.boolean()),
    /** What they were before, as far as that is on record; found when it is sent. */
    before: v.exactOptional(detailsBefore),
  }),
  v.object({
    kind: v.literal('welcome'),
    ...registrant,
    amountCents,
    /** The version of the terms that she agreed to; absent where that is not on record. */
    termsVersion: v.exactOptional(v.string()),
    /** When the deposit was paid; absent in jobs of an older release. */
    paidAt: v.exactOptional(isoMoment),
    /** Something came of the balance since, or its moment is past: her page tells how it stands. */
    hasMovedOn: v.exactOptional(v.literal(true)),
    /** When it is written, so that it says nothing that is past; found when it is sent. */
    writtenAt: v.exactOptional(isoMoment),
  }),
  v.object({ kind: v.literal('office-paid'), ...registrant, ...told, amountCents }),
  /** That, when and how much her card is charged: without it in time, it is not. */
  v.object({ kind: v.literal('balance-notice'), ...registrant, ...charge }),
  v.object({ kind: v.literal('balance-reminder'), ...registrant, ...charge }),
  /** The same as the notice, for the date to which the office postponed it. */
  v.object({ kind: v.literal('balance-postponed'), ...registrant, ...charge }),
  v.object({ kind: v.literal('card-expires'), ...registrant, ...expiry }),
  v.object({ kind: v.literal('please-pay'), ...registrant, ...request }),
  v.object({ kind: v.literal('balance-failed'), ...registrant, ...refusal }),
  v.object({ kind: v.literal('balance-paid'), ...registrant, ...receipt }),
  /** That she has cancelled, what comes back, and until when she can take it back; to the office if she did so on her page. */
  v.object({ kind: v.literal('cancel-received'), ...registrant, ...cancelling }),
  v.object({ kind: v.literal('office-cancel'), ...registrant, ...cancelling }),
  /** That she has not cancelled after all; to the office if she took it back herself. */
  v.object({ kind: v.literal('cancel-undone'), ...registrant, ...undone }),
  v.object({ kind: v.literal('office-cancel-undone'), ...registrant, ...undone }),
  /** What came of cancelling. */
  v.object({ kind: v.literal('cancelled'), ...registrant, ...cancelled }),
  /** Her bank did not take the refund: the office sends a check. */
  v.object({ kind: v.literal('refund-failed'), ...registrant, ...notTaken }),
  /** What the office gave back as an exception, or sent by check. */
  v.object({ kind: v.literal('refund-made'), ...registrant, ...givenBack }),
  /** When the test session is, and that her page leads there. */
  v.object({ kind: v.literal('test-session'), ...registrant, ...trial }),
  /** The sessions of a day, and whether her page leads to the room. */
  v.object({ kind: v.literal('way-in'), ...registrant, ...entry }),
  /** To an address that she asked for: the link under which she confirms it. */
  v.object({ kind: v.literal('confirm-address'), ...registrant, ...elsewhere, ...act }),
  /** To the address before: that her letters go to another one now. */
  v.object({ kind: v.literal('address-changed'), ...registrant, ...elsewhere, ...changedAddress }),
  /** The schedule has changed: to this revision, or a later one by when it is written. */
  v.object({
    kind: v.literal('schedule-changed'),
    ...registrant,
    revision: v.pipe(v.number(), v.integer(), v.minValue(0)),
    /** When it is written, so that it says nothing that is past; found when it is sent. */
    writtenAt: v.exactOptional(isoMoment),
  }),
  /** Her page leads to the recordings. */
  v.object({ kind: v.literal('recordings'), ...registrant }),
  /** The link to her page, which somebody asked for by her address. */
  v.object({
    kind: v.literal('place-link'),
    ...registrant,
    /** The day on which it was asked for, and how often it was on that day: `2027-02-08-1`. */
    request: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d-\d+$/)),
  }),
  /** That she is on the waiting list. */
  v.object({
    kind: v.literal('waiting-received'),
    ...waiting,
    /** Whether the address has a paid registration of this edition: only the letter says so. */
    addressHasPlace: v.exactOptional(v.boolean()),
  }),
  /** Somebody has joined the waiting list. */
  v.object({ kind: v.literal('office-waiting'), ...waiting }),
  /** A place is hers if she takes it by then. */
  v.object({ kind: v.literal('place-offered'), ...waiting, until: isoMoment }),
  /** What needs the office, once a day. */
  v.object({
    kind: v.literal('office-digest'),
    edition: v.string(),
    /** ISO date, in the retreat's time zone. */
    day: v.string(),
    /** Found when it is sent; on the queue there are none. */
    items: v.optional(v.array(officeItem), []),
  }),
]);
export type MailJob = v.InferOutput<typeof mailJobSchema>;
export type MailKind = MailJob['kind'];
export type MailOf<Kind extends MailKind> = Extract<MailJob, { kind: Kind }>;
/** A mail about an entry of the waiting list, which has no payment. */
export type WaitingMail = MailOf<WaitingMailKind>;
/** A mail about one person, and on record with her at Stripe. */
export type PersonMail = Exclude<MailJob, { kind: 'office-digest' }>;
/** A mail about one registration. */
export type RegistrationMail = Exclude<PersonMail, { kind: WaitingMailKind }>;

/**
 * Where a kind's rules stand, and where it is on record that a mail was sent. One `elsewhere` goes to an address that is
 * not hers now, but was, or is to be.
 */
type MailRule =
  /** On record with the deposit's payment, from which it is told whether it is owed and true. */
  | {
      about: 'deposit';
      to: 'registrant' | 'office';
      /** `after a change`: when the details are no longer those that the office was told. */
      owed: 'from the start' | 'once paid' | 'after a change';
      /** For how long what it says is true. */
      trueWhile: readonly DepositState[];
    }
  /** Of what comes after the welcome; on record with the customer. `server/payments/later-letters.ts` says when each is true. */
  | {
      about: 'later';
      to: 'registrant' | 'office' | 'elsewhere';
      /** It comes due for everybody at one moment: letters that answer somebody go out before it. */
      toAll?: true;
    }
  /** Sent because somebody asked for it; nowhere on record. */
  | { about: 'request'; to: 'registrant' }
  /** About an entry of the waiting list; on record with its customer. `server/payments/waiting-letters.ts` says when each is true. */
  | { about: 'waiting'; to: 'registrant' | 'office' }
  /** Not about one registration; nowhere on record but on the queue. */
  | { about: 'edition'; to: 'office' };

/** As far as mails about the deposit are concerned; none is true of a deposit in any other state. */
export type DepositState = 'unpaid' | 'paid';

/** Every mail there is. */
export const mailRules = {
  'registration-received': {
    about: 'deposit',
    to: 'registrant',
    owed: 'from the start',
    trueWhile: ['unpaid'],
  },
  'office-notice': { about: 'deposit', to: 'office', owed: 'from the start', trueWhile: ['unpaid'] },
  'office-change': { about: 'deposit', to: 'office', owed: 'after a change', trueWhile: ['unpaid', 'paid'] },
  welcome: { about: 'deposit', to: 'registrant', owed: 'once paid', trueWhile: ['paid'] },
  'office-paid': { about: 'deposit', to: 'office', owed: 'once paid', trueWhile: ['paid'] },
  'balance-notice': { about: 'later', to: 'registrant' },
  'balance-reminder': { about: 'later', to: 'registrant' },
  'balance-postponed': { about: 'later', to: 'registrant' },
  'card-expires': { about: 'later', to: 'registrant' },
  'please-pay': { about: 'later', to: 'registrant' },
  'balance-failed': { about: 'later', to: 'registrant' },
  'balance-paid': { about: 'later', to: 'registrant' },
  'cancel-received': { about: 'later', to: 'registrant' },
  'office-cancel': { about: 'later', to: 'office' },
  'cancel-undone': { about: 'later', to: 'registrant' },
  'office-cancel-undone': { about: 'later', to: 'office' },
  cancelled: { about: 'later', to: 'registrant' },
  'refund-failed': { about: 'later', to: 'registrant' },
  'refund-made': { about: 'later', to: 'registrant' },
  'test-session': { about: 'later', to: 'registrant', toAll: true },
  'way-in': { about: 'later', to: 'registrant', toAll: true },
  'confirm-address': { about: 'later', to: 'elsewhere' },
  'address-changed': { about: 'later', to: 'elsewhere' },
  'schedule-changed': { about: 'later', to: 'registrant', toAll: true },
  recordings: { about: 'later', to: 'registrant', toAll: true },
  'place-link': { about: 'request', to: 'registrant' },
  'waiting-received': { about: 'waiting', to: 'registrant' },
  'office-waiting': { about: 'waiting', to: 'office' },
  'place-offered': { about: 'waiting', to: 'registrant' },
  'office-digest': { about: 'edition', to: 'office' },
} as const satisfies Record<MailKind, MailRule>;

type KindAbout<About extends MailRule['about']> = {
  [Kind in MailKind]: (typeof mailRules)[Kind]['about'] extends About ? Kind : never;
}[MailKind];
export type DepositMailKind = KindAbout<'deposit'>;
export type LaterMailKind = KindAbout<'later'>;
export type WaitingMailKind = KindAbout<'waiting'>;
/** A mail about a registration of which it stays on record, at Stripe, that it was sent: it can be sent again. */
export type KeptMailKind = KindAbout<'deposit' | 'later'>;

export const isDepositMail = (kind: MailKind): kind is DepositMailKind => mailRules[kind].about === 'deposit';
export const isLaterMail = (kind: MailKind): kind is LaterMailKind => mailRules[kind].about === 'later';
export const isWaitingMail = (kind: MailKind): kind is WaitingMailKind => mailRules[kind].about === 'waiting';
export const isAboutWaiting = (job: MailJob): job is WaitingMail => isWaitingMail(job.kind);
export const isAboutPerson = (job: MailJob): job is PersonMail => job.kind !== 'office-digest';
export const isAboutRegistration = (job: MailJob): job is RegistrationMail =>
  isAboutPerson(job) && !isAboutWaiting(job);

export const MAIL_KINDS: readonly MailKind[] = mailJobSchema.options.map(
  ({ entries }) => entries.kind.literal,
);

/** The mail that data of whatever origin hold, if they hold one. */
export function mailOf(data: unknown): MailJob | undefined {
  const mail = v.safeParse(mailJobSchema, data);
  return mail.success ? mail.output : undefined;
}

/** The kinds that can be sent again. */
export const KEPT_MAIL_KINDS: readonly KeptMailKind[] = MAIL_KINDS.filter(
  (kind) => isDepositMail(kind) || isLaterMail(kind),
);

/** Whether a mail goes to the office, whose address is configured, and not to the registrant. */
export function goesToOffice({ kind }: Pick<MailJob, 'kind'>): boolean {
  return mailRules[kind].to === 'office';
}

/** The address of a letter to a registrant: her present one, unless it goes elsewhere. */
export function addresseeOf(job: PersonMail): string {
  return 'to' in job ? job.to : job.email;
}
