import type { RegistrationRow } from '#server/database/schema.ts';
import { type EndedLetter, linkDigest, type RegistrationRecord } from '#server/registration/registration.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { endOf, type LetterKinds, type OwedLetter, owedLetter } from './letter-kind.ts';
import { button } from './render/letter.ts';
import {
  beginning,
  daysOf,
  type MessageContext,
  pageUrlOf,
  type Writing,
  waysToAsk,
} from './render/parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** To the registrant, as soon as the contact step is done (R5.3). */
export const registrationReceived = {
  'registration-received': {
    name: 'Your registration has arrived',
    subject: ({ facts }) => `We have your details for ${facts.title}`,
    names: 'probable ones',
    due: (record) => (isBegun(record) ? { says: (w) => saidAtFirst(record, w) } : undefined),
  },

  /** To her, a day after her last submit, if she has not paid: how to come back, and how to end it. */
  unfinished: {
    name: 'Reminder of an unfinished registration',
    subject: ({ facts }) => `Your registration is not finished: ${facts.title}`,
    names: 'probable ones',
    asksToPay: true,
    moments: (record) => (record.deposit === 'unpaid' ? [remindAt(record)] : []),
    due(record, now) {
      const { deposit, offer, isNotReminded, edition } = record;
      // Where the first letter waits, so does this one.
      const isHeard = firstEnd(record)?.state === 'sent';
      const isUnpaid = deposit === 'unpaid' && !record.decisions.held;
      const isLeft = isUnpaid && offer === undefined && !isNotReminded && isHeard;
      const isTime = now >= remindAt(record) && now < new Date(edition.facts.registration.closes);
      if (!isLeft || !isTime) return undefined;
      return {
        version: 'once',
        says(w) {
          const { title, prices } = w.edition.facts;
          return {
            preheader: 'Nothing was charged. Here is the way back, if you would still like to come.',
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
} satisfies LetterKinds;

/** To an address with a paid place it names nobody, since several people may use the address. */
function saidAtFirst(record: RegistrationRecord, w: Writing) {
  const { facts } = w.edition;
  const deposit = formatCents(facts.prices.depositCents);
  const days = daysOf(w.edition);
  const pageUrl = pageUrlOf(w);
  const foot = {
    reason: `${enteredAt(w)} If that wasn’t you, you can end this registration and delete what was entered.`,
    leave: endLink(record, w),
  };
  if (record.addressHasPlace)
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
      questions: `To ask us, ${waysToAsk(w)}.`,
      ...foot,
    };
  return {
    preheader: 'Nothing has been charged yet.',
    title: 'Your details have arrived',
    blocks: [
      `Thank you for taking this step toward ${facts.title}. Your details have arrived safely, and we are glad you are thinking of spending ${days} with us.`,
      `Nothing has been charged yet. The place is yours once the deposit of ${deposit} is paid. We then send your receipt and the schedule in a second e-mail.`,
    ],
    questions: askBeforePaying(w),
    ...foot,
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
