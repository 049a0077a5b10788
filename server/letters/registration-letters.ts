import type { RegistrationRow } from '#server/database/schema.ts';
import {
  canPayDeposit,
  type Decision,
  depositByCardOf,
  depositLeftOf,
  type EndedLetter,
  HERSELF,
  heldEnd,
  linkDigest,
  paidBalances,
  type RegistrationRecord,
  stateOf,
  sumOfCents,
} from '#server/registration/registration.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { endOf, type LetterKinds, type OwedLetter, owedLetter, type Said } from './letter-kind.ts';
import { button, factTable, heading, type Passage } from './render/letter.ts';
import {
  beginning,
  daysOf,
  inDollars,
  type MessageContext,
  pageButton,
  pageUrlOf,
  termsUrlOf,
  type Writing,
  waysToAsk,
} from './render/parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** To the registrant, as soon as the contact step is done (R5.3). */
export const registrationLetters = {
  'registration-received': {
    name: 'Your registration has arrived',
    names: 'probable ones',
    due: (record) => (isBegun(record) ? { says: (w) => saidAtFirst(record, w) } : undefined),
  },

  /** To her, a day after her last submit, if she has not paid: how to come back, and how to end it. */
  unfinished: {
    name: 'Reminder of an unfinished registration',
    names: 'probable ones',
    asksToPay: true,
    moments: (record) => (record.deposit === 'unpaid' ? [remindAt(record)] : []),
    due(record, now) {
      const { deposit, isNotReminded, edition } = record;
      // Where the first letter waits, so does this one.
      const isHeard = firstEnd(record)?.state === 'sent';
      const isUnpaid = deposit === 'unpaid' && !record.decisions.held;
      const isLeft = isUnpaid && !isNotReminded && isHeard;
      const isTime = now >= remindAt(record) && now < new Date(edition.facts.registration.closes);
      if (!isLeft || !isTime) return undefined;
      return {
        version: 'once',
        says(w) {
          const { title, prices } = w.edition.facts;
          return {
            title: 'Would you still like to come?',
            blocks: [
              `You started to register for ${title}, ${daysOf(w.edition)}. The deposit of ${formatCents(prices.depositCents)} has not been paid, so no place is reserved for you yet, and nothing was charged.`,
              'If something came between you and the payment, the way back is short: the link below leads to the form, which takes a minute to fill in again.',
              button('Finish your registration', stepperUrl(pageUrlOf(w))),
              'If you have changed your mind, the link at the end of this e-mail ends the registration and deletes your details. Either way, we won’t remind you again.',
            ],
            questions: askBeforePaying(w),
            reason: enteredAt(w),
            leave: endLink(record, w),
          };
        },
      };
    },
  },

  /** At once, again when the office holds it until another day, and some days before the end. */
  'place-held': {
    name: 'A place is held for you',
    asksToPay: true,
    moments: heldMoments,
    due(record, now) {
      const { held } = record.decisions;
      if (!held || stateOf(record, now) !== 'held') return undefined;
      const { at, until } = held;
      const isEnding = now < until && +now >= +until - REMINDED_MS && +until - +at >= HELD_ALONE_MS;
      const first = { at, says: (w: Writing) => saidOfHeld(record, held, w, false) };
      return isEnding ? [first, { key: [until], at, says: (w) => saidOfHeld(record, held, w, true) }] : first;
    },
  },

  'place-lapsed': {
    name: 'Your place is no longer held',
    asksToPay: true,
    due(record, now) {
      const { held } = record.decisions;
      if (!held || paidBalances(record).length > 0 || stateOf(record, now) !== 'lapsed') return undefined;
      if (now.getTime() >= heldEnd(held).getTime() + LAPSED_TOLD_MS) return undefined;
      return {
        key: [held.until],
        at: held.at,
        says(w) {
          const came = receivedOf(record)
            ? ' What has arrived is yours: the office will send it back to you, unless you still want to come.'
            : ' Nothing was charged.';
          return {
            title: 'Your place is no longer held',
            blocks: [
              `The retreat office held a place for you in ${w.title} until ${w.day(held.until)}. ${beginning(notArrived(record))}, so the place is free again.${came}`,
              pageButton(record, w, 'Your own page'),
              `If you would still like to come, or your payment is on its way, please reply to this e-mail or call ${w.office.phone}: if a place is still free, it is yours.`,
            ],
          };
        },
      };
    },
  },
} satisfies LetterKinds;

function saidAtFirst({ addressHasPlace, ...record }: RegistrationRecord, w: Writing): Said {
  const deposit = formatCents(w.edition.facts.prices.depositCents);
  const ownPage = new URL(OWN_PAGE_PATH, pageUrlOf(w)).href;
  return {
    title: 'Your details have arrived',
    blocks: [
      `Thank you for taking this step toward ${w.title}. Your details have arrived safely, and we are glad you are thinking of spending ${daysOf(w.edition)} with us.`,
      `Nothing has been charged yet. The place is yours once the deposit of ${deposit} is paid. We then send your receipt and the schedule in a second e-mail.`,
      // It names nobody: several people may use the address.
      ...(addressHasPlace
        ? [
            heading('This address already has a place'),
            `There is already a paid place under this address. If it is yours, there is nothing to do and nothing to pay: simply leave the new registration as it is. To see your place, enter this address at ${ownPage}, and we will send you the link to your own page.`,
            'If the new registration is for someone else, even someone with the same name, it needs its own deposit. If you have paid for your own place twice, nothing is lost: the retreat office sees it, and will refund all of it.',
          ]
        : []),
    ],
    questions: askBeforePaying(w),
    reason: `${enteredAt(w)} If that wasn’t you, you can end this registration and delete what was entered.`,
    leave: endLink(record, w),
  };
}

export function isBegun({ deposit, depositPayment, source }: RegistrationRecord): boolean {
  return deposit !== 'paid' && depositPayment?.status === 'open' && source !== 'office';
}

const FIRST: readonly string[] = ['registration-received', 'office-notice'];

/** None is sent where too many went to such addresses. */
export const isFirstLetter = ({ kind }: Pick<OwedLetter, 'kind'>): boolean => FIRST.includes(kind);

export function firstLetters({ id, email, letterWaits, source }: RegistrationRow): OwedLetter[] {
  if (letterWaits === 1 || source === 'office') return [];
  return [owedLetter('registration-received', id, email), owedLetter('office-notice', id, '')];
}

/** Whether the first letter to her waits until she has paid, and with it what the office writes to her. */
export function isUnheard(record: RegistrationRecord): boolean {
  return record.letterWaits && isBegun(record) && firstEnd(record) === undefined;
}

function firstEnd({ id, registrant, endedLetters }: RegistrationRecord): EndedLetter | undefined {
  return endOf(owedLetter('registration-received', id, registrant.email), endedLetters);
}

function remindAt({ begunAt, submittedAt = begunAt }: RegistrationRecord): Date {
  return new Date(submittedAt.getTime() + DAY_MS);
}

const askBeforePaying = (context: MessageContext): string =>
  `Is something unclear, or would you rather pay by check or with a payment plan? ${beginning(waysToAsk(context))}.`;

const enteredAt = (context: MessageContext): string =>
  `You received this e-mail because your address was entered at ${pageUrlOf(context)}.`;

function endLink(
  { id: subject, linksEpoch: epoch, registrant }: RegistrationRecord,
  { links, edition }: Writing,
) {
  const digest = linkDigest(registrant.email);
  const href = links.url('end', { subject, epoch, digest, expiresAt: registrationOverAt(edition.facts) });
  return { label: 'End this registration', href };
}

const stepperUrl = (pageUrl: string): string => new URL(`#${REGISTER_SECTION_ID}`, pageUrl).href;

/** How long before the end she is reminded, unless the place has not been held for longer. */
const REMINDED_MS = 3 * DAY_MS;
const HELD_ALONE_MS = 5 * DAY_MS;
const LAPSED_TOLD_MS = 14 * DAY_MS;

function heldMoments({ decisions: { held } }: RegistrationRecord): Date[] {
  if (!held) return [];
  const until = held.until.getTime();
  const end = heldEnd(held).getTime();
  return [until - REMINDED_MS, until, end, end + LAPSED_TOLD_MS].map((ms) => new Date(ms));
}

function saidOfHeld(
  record: RegistrationRecord,
  held: Decision<'held'>,
  w: Writing,
  isReminder: boolean,
): Said {
  const terms = termsUrlOf(record, w);
  const until = w.day(held.until);
  // An offer of the waiting list.
  const isHers = held.by === HERSELF;
  return {
    title: isReminder ? 'A reminder: a place is held for you' : 'A place is held for you',
    blocks: [
      isReminder
        ? `The retreat office holds a place for you in ${w.title} until ${until}, and ${notArrived(record)} yet. If it is on its way, thank you: there is nothing more you need to do.`
        : `We are glad that you would like to come to ${w.title}, live online, on ${daysOf(w.edition)}. The retreat office holds a place for you until ${until}. It is yours once the deposit has arrived.`,
      ...howToPay(record, held, w),
      terms &&
        `${isHers ? 'When you took the place' : 'When you spoke with the office or wrote to it'}, you agreed to the policies, including that the deposit is not refunded. You can read them at ${terms}. If you did not agree, please tell us before you pay.`,
    ],
    questions: `If you need a few more days, can’t come, or have a question, reply to this e-mail or call ${w.office.phone}.`,
    reason: isHers
      ? 'You received this e-mail because you took a place that the retreat office offered you.'
      : 'You received this e-mail because the retreat office registered you, as you asked.',
  };
}

const receivedOf = ({ received }: RegistrationRecord): number => sumOfCents(received.counting);

function notArrived(record: RegistrationRecord): string {
  return receivedOf(record) > 0
    ? `${formatCents(depositLeftOf(record))} of the deposit has not arrived`
    : 'the deposit has not arrived';
}

function howToPay(record: RegistrationRecord, { way, until }: Decision<'held'>, w: Writing): Passage[] {
  const { prices, siteName } = w.edition.facts;
  const note = onWays(prices, ' There is no card fee.');
  const by = w.moment(until);
  const { legalName, postalAddress } = w.office;
  const to = [legalName ?? siteName, postalAddress].filter(Boolean).join(', ');
  const byCard = depositByCardOf(record);
  const words = {
    card: `Please pay it by card on your own page, by ${by}.`,
    check: `Please send a check in US dollars to ${to}, so that it arrives by ${by}.${note}`,
    transfer: `Please send a bank transfer so that it arrives by ${by}.${note} If you don’t have our account details yet, reply to this e-mail, and we will send them to you.`,
  };
  const [canPay, isByCard] = [canPayDeposit(record), way === 'card'];
  const label = isByCard && canPay ? `Pay ${formatCents(byCard)}` : 'Your own page';
  return [
    factTable([
      { label: 'Deposit', value: inDollars(isByCard ? byCard : depositLeftOf(record)), strong: true },
      { label: 'Or by card', value: !isByCard && canPay && `${formatCents(byCard)}, on your own page` },
      { label: 'By', value: by },
    ]),
    words[way],
    pageButton(record, w, label),
  ];
}
