import type { RegistrationRow } from '#server/database/schema.ts';
import type { MailKind, MailOf, RegistrationMail } from '#server/mail/job.ts';
import type { Registrant } from '#server/mail/job-facts.ts';
import { type EndedLetter, endOf } from '#server/mail/letter-log.ts';
import { paidBalances } from '#server/registration/balance.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { canPayDeposit, depositByCardOf, depositLeftOf } from '#server/registration/deposit.ts';
import { linkDigest } from '#server/registration/links.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { heldEnd, stateOf } from '#server/registration/registration-state.ts';
import { registrantIn } from '#server/registration/registrations.ts';
import type { Edition } from '#shared/content/edition.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { factsOf, hoursAfter, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { button, factTable, type Passage } from './render/letter.ts';
import {
  beginning,
  dayOf,
  daysOf,
  inDollars,
  type MessageContext,
  momentOf,
  ownPageButton,
  pageUrlOf,
  waysToAsk,
} from './render/parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** To the registrant, as soon as the contact step is done (R5.3). */
export const registrationReceived = {
  'registration-received': {
    name: 'Your registration has arrived',
    subject: ({ facts }) => `We have your details for ${facts.title}`,
    names: 'probable ones',
    factsAt: (record) => (isBegun(record) ? { addressHasPlace: record.addressHasPlace } : undefined),
    /** To an address with a paid place it names nobody, since several people may use the address. */
    says(letter, edition, context) {
      const { facts } = edition;
      const deposit = formatCents(facts.prices.depositCents);
      const days = daysOf(edition);
      const pageUrl = pageUrlOf(context);
      const foot = {
        reason: `${enteredAt(context)} If that wasn’t you, you can end this registration and delete what was entered.`,
        leave: endLink(letter, edition, context),
      };
      if (letter.addressHasPlace)
        return {
          preheader: 'Unless it is for someone else, there is nothing to do and nothing to pay.',
          title: 'This address already has a place',
          blocks: [
            `Thank you for taking this step toward ${facts.title}. Someone has just started a registration with your e-mail address.`,
            `There is already a paid place for ${days} under this address. If it is yours, you are registered: there is nothing to do and nothing to pay. Simply leave the new registration as it is, and nothing is charged. To see your place, enter this address at ${new URL(OWN_PAGE_PATH, pageUrl).href}, and we will send you the link to your own page. If you are not sure, ask us. We will gladly look it up for you.`,
            `If it is for someone else, even someone with the same name, we look forward to one more person at the table. That place is reserved once its own deposit of ${deposit} is paid, and nothing is charged until you confirm the payment yourself. If you have just paid it, the receipt and the schedule will come in a second e-mail.`,
            'If you have paid for your own place twice, nothing is lost: the retreat office sees it, and will refund all of it.',
            button('Finish it for someone else', stepperUrl(pageUrl)),
          ],
          questions: `To ask us, ${waysToAsk(context)}.`,
          ...foot,
        };
      return {
        preheader: 'Nothing has been charged yet.',
        title: 'Your details have arrived',
        blocks: [
          `Thank you for taking this step toward ${facts.title}. Your details have arrived safely, and we are glad you are thinking of spending ${days} with us.`,
          `Nothing has been charged yet. The place is yours once the deposit of ${deposit} is paid. We then send your receipt and the schedule in a second e-mail.`,
        ],
        questions: askBeforePaying(context),
        ...foot,
      };
    },
    samples: () => ({ usual: {}, 'with-a-place': { addressHasPlace: true } }),
  },

  /** To her, a day after her last submit, if she has not paid: how to come back, and how to end it. */
  unfinished: {
    name: 'Reminder of an unfinished registration',
    subject: ({ facts }) => `Your registration is not finished: ${facts.title}`,
    names: 'probable ones',
    factsAt(record, now) {
      const { deposit, offer, isNotReminded, edition } = record;
      const { facts } = edition;
      // Where the first letter waits, so does this one.
      const isHeard = firstEnd(record)?.state === 'sent';
      const isUnpaid = deposit === 'unpaid' && !record.decisions.held;
      const isLeft = isUnpaid && offer === undefined && !isNotReminded && isHeard;
      const isTime = now >= remindAt(record) && now < new Date(facts.registration.closes);
      return isLeft && isTime ? {} : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: 'Nothing was charged. Here is the way back, if you would still like to come.',
      title: 'Would you still like to come?',
      blocks: [
        `You started to register for ${edition.facts.title}, ${daysOf(edition)}. The deposit of ${formatCents(edition.facts.prices.depositCents)} has not been paid, so no place is reserved for you yet, and nothing was charged.`,
        'If something came between you and the payment, the way back is short: the link below leads to the form, which takes a minute to fill in again.',
        button('Finish your registration', stepperUrl(pageUrlOf(context))),
        'If you have changed your mind, the link at the end of this e-mail ends the registration and deletes your details. Either way, we won’t remind you again.',
      ],
      questions: askBeforePaying(context),
      reason: enteredAt(context),
      leave: endLink(letter, edition, context),
    }),
    samples: () => ({ usual: {} }),
  },
} satisfies SomeLetters;

/** Whether she has begun to register on the page, and can still pay. */
export function isBegun({ deposit, depositPayment, source }: RegistrationRecord): boolean {
  return deposit !== 'paid' && depositPayment?.status === 'open' && source !== 'office';
}

/** The letters about somebody who has begun to register, which the app queues as soon as her payment can be confirmed. */
export function firstLetters(row: RegistrationRow, depositPayment: string): RegistrationMail[] {
  const { id: registration, edition, linksEpoch, letterWaits, source } = row;
  if (letterWaits === 1 || source === 'office') return [];
  const about = { registration, depositPayment, edition, ...registrantIn(row), linksEpoch };
  return [
    { kind: 'registration-received', ...about },
    { kind: 'office-notice', ...about },
  ];
}

/** Whether it is a letter about somebody who has begun to register: none is sent where too many went to such addresses. */
export function isFirstLetter({ kind }: { kind: MailKind }): boolean {
  return kind === 'registration-received' || kind === 'office-notice';
}

/** Whether the first letter to her waits until she has paid, and with it what the office writes to her. */
export function isUnheard(record: RegistrationRecord): boolean {
  return record.letterWaits && isBegun(record) && firstEnd(record) === undefined;
}

/** How the first letter to her present address ended, if it did. */
function firstEnd(record: RegistrationRecord): EndedLetter | undefined {
  return endOf({ kind: 'registration-received', ...factsOf(record) }, record.endedLetters);
}

/** When somebody who has begun to register is reminded, if she has not paid: a day after her last submit. */
export function remindAt({ begunAt, submittedAt = begunAt }: RegistrationRecord): Date {
  return new Date(submittedAt.getTime() + DAY_MS);
}

const askBeforePaying = (context: MessageContext): string =>
  `Is something unclear, or would you rather pay by check or with a payment plan? ${beginning(waysToAsk(context))}.`;

const enteredAt = (context: MessageContext): string =>
  `You received this e-mail because your address was entered at ${pageUrlOf(context)}.`;

/** Ends the registration; valid as long as it can be paid. */
function endLink(
  { registration: subject, linksEpoch: epoch = 0, email }: Registrant,
  { facts }: Edition,
  { links }: MessageContext,
) {
  const digest = linkDigest(email);
  const href = links.url('end', { subject, epoch, digest, expiresAt: registrationOverAt(facts) });
  return { label: 'End this registration', href };
}

const stepperUrl = (pageUrl: string): string => new URL(`#${REGISTER_SECTION_ID}`, pageUrl).href;

/** How long before the end she is reminded, unless the place has not been held for longer. */
const REMINDED_MS = 3 * DAY_MS;
const HELD_ALONE_MS = 5 * DAY_MS;
/** Later than this it is no news to her any more that her place is free again. */
const LAPSED_TOLD_MS = 14 * DAY_MS;

/** When a letter about a place that the office holds falls due, or is not true any more. */
export function heldMoments(held: Decision<'held'>): Date[] {
  const { until } = held;
  const end = heldEnd(held).getTime();
  return [until.getTime() - REMINDED_MS, until.getTime(), end, end + LAPSED_TOLD_MS].map(
    (ms) => new Date(ms),
  );
}

/** The letters about a place that the office holds until the deposit has come. */
export const heldLetters = {
  /** At once, and again when the office holds it until another day. */
  'place-held': {
    name: 'A place is held for you',
    subject: ({ facts }) => `Your place for ${facts.title}: what is left to do`,
    factsAt(record, now) {
      const { held } = record.decisions;
      return held && stateOf(record, now) === 'held' ? heldFacts(record, held) : undefined;
    },
    says(letter, edition, context) {
      const { facts } = edition;
      const terms = edition.agreed.find(({ version }) => version === letter.termsVersion);
      return {
        preheader: `It is held until ${lastDay(letter, edition)}.`,
        title: 'A place is held for you',
        blocks: [
          `We are glad that you would like to come to ${facts.title}, live online, on ${daysOf(edition)}. The retreat office holds a place for you until ${lastDay(letter, edition)}. It is yours once the deposit has arrived.`,
          ...howToPay(letter, edition, context),
          terms &&
            `When you spoke with the office or wrote to it, you agreed to the policies, including that the deposit is not refunded. You can read them at ${new URL(termsPathOf(facts, terms), context.siteUrl).href}. If you did not agree, please tell us before you pay.`,
          ownPageButton(letter, edition, context),
        ],
        reason: 'You received this e-mail because the retreat office registered you, as you asked.',
      };
    },
    samples(edition) {
      const sample = sampleHeld(edition);
      return {
        usual: sample,
        'by-transfer': { ...sample, way: 'transfer' },
        'with-a-part-here': { ...sample, receivedCents: 20_000, beforeFeeCents: 49_500, noCard: true },
        'by-card': { ...sample, way: 'card' },
      };
    },
  },

  /** Some days before the end, if nothing has come. */
  'place-held-reminder': {
    name: 'Your place is held for a few more days',
    subject: ({ facts }) => `A reminder: your place for ${facts.title}`,
    factsAt(record, now) {
      const { held } = record.decisions;
      if (!held || stateOf(record, now) !== 'held' || now >= held.until) return undefined;
      const isTime = now.getTime() >= held.until.getTime() - REMINDED_MS;
      const isAlone = held.until.getTime() - held.at.getTime() < HELD_ALONE_MS;
      return isTime && !isAlone ? heldFacts(record, held) : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: `It is held until ${lastDay(letter, edition)}.`,
      title: letter.receivedCents
        ? 'Part of your deposit has not arrived yet'
        : 'Your deposit has not arrived yet',
      blocks: [
        `A short reminder: the retreat office holds a place for you in ${edition.facts.title} until ${lastDay(letter, edition)}, and ${notArrived(letter)}. If it is on its way, thank you: there is nothing more you need to do.`,
        ...howToPay(letter, edition, context),
        ownPageButton(letter, edition, context),
      ],
      questions: `If you need a few more days, or can’t come, reply to this e-mail or call ${context.office.phone}.`,
    }),
    samples: (edition) => ({ usual: sampleHeld(edition) }),
  },

  /** A day after the end, if the deposit did not come. */
  'place-lapsed': {
    name: 'Your place is no longer held',
    subject: ({ facts }) => `Your place for ${facts.title} is no longer held`,
    factsAt(record, now) {
      const { held } = record.decisions;
      if (!held || paidBalances(record).length > 0 || stateOf(record, now) !== 'lapsed') return undefined;
      return now.getTime() < heldEnd(held).getTime() + LAPSED_TOLD_MS ? heldFacts(record, held) : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: 'Please call us if you would still like to come.',
      title: 'Your place is no longer held',
      blocks: [
        `The retreat office held a place for you in ${edition.facts.title} until ${lastDay(letter, edition)}. ${beginning(notArrived(letter))}, so the place is free again.${letter.receivedCents ? ' What has arrived is yours: the office will send it back to you, unless you still want to come.' : ' Nothing was charged.'}`,
        ownPageButton(letter, edition, context),
        `If you would still like to come, or your payment is on its way, please reply to this e-mail or call ${context.office.phone}: if a place is still free, it is yours.`,
      ],
    }),
    samples: (edition) => ({ usual: sampleHeld(edition) }),
  },
} satisfies SomeLetters;

type AboutHeld = MailOf<'place-held' | 'place-held-reminder' | 'place-lapsed'>;

function heldFacts(record: RegistrationRecord, { at, way, until }: Decision<'held'>) {
  const receivedCents = record.received.counting.reduce((sum, { cents }) => sum + cents, 0);
  return {
    at: at.toISOString(),
    way,
    until: until.toISOString(),
    cents: depositByCardOf(record),
    beforeFeeCents: depositLeftOf(record),
    receivedCents: receivedCents || undefined,
    noCard: !canPayDeposit(record) || undefined,
    termsVersion: record.agreement?.version,
  };
}

function lastDay({ until }: AboutHeld, edition: Edition): string {
  return dayOf(until, edition);
}

function notArrived(letter: AboutHeld): string {
  return (letter.receivedCents ?? 0) > 0
    ? `${formatCents(letter.beforeFeeCents)} of the deposit has not arrived`
    : 'the deposit has not arrived';
}

function howToPay(letter: AboutHeld, edition: Edition, { office }: MessageContext): Passage[] {
  const { way, cents, beforeFeeCents } = letter;
  const note = onWays(edition.facts.prices, ' There is no card fee.');
  const by = momentOf(letter.until, letter, edition);
  const { legalName, postalAddress } = office;
  const to = [legalName ?? edition.facts.siteName, postalAddress].filter(Boolean).join(', ');
  const words = {
    card: `Please pay it by card on your own page, by ${by}.`,
    check: `Please send a check in US dollars to ${to}, so that it arrives by ${by}.${note}`,
    transfer: `Please send a bank transfer so that it arrives by ${by}.${note} If you don’t have our account details yet, reply to this e-mail, and we will send them to you.`,
  };
  return [
    factTable([
      { label: 'Deposit', value: inDollars(way === 'card' ? cents : beforeFeeCents), strong: true },
      { label: 'Or by card', value: way !== 'card' && `${formatCents(cents)}, on your own page` },
      { label: 'By', value: by },
    ]),
    words[way],
  ];
}

function sampleHeld(edition: Edition) {
  const { depositCents: cents, depositBeforeFeeCents: beforeFeeCents } = edition.facts.prices;
  const { depositPaidAt: at } = sampleFacts(edition);
  return {
    at,
    way: 'check' as const,
    until: hoursAfter(at, 240),
    cents,
    beforeFeeCents,
    termsVersion: edition.terms.version,
  };
}
