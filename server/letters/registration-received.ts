import type { Registrant } from '#server/mail/job-facts.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { registrationOverAt } from '#shared/content/moments.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { LETTER_QUERY, REGISTER_SECTION_ID } from '#shared/page.ts';
import type { SomeLetters } from './letter-kind.ts';
import { button } from './render/letter.ts';
import { type MessageContext, pageUrlOf } from './render/links.ts';
import { beginning, daysOf, waysToAsk } from './render/parts.ts';

/** To the registrant, as soon as the contact step is done (R5.3). */
export const registrationReceived = {
  'registration-received': {
    name: 'Your registration has arrived',
    subject: ({ facts }) => `We have your details for ${facts.title}`,
    names: 'probable ones',
    /** To an address with a paid place it names nobody, since several people may use the address. */
    says(letter, edition, context) {
      const { facts } = edition;
      const deposit = formatCents(facts.prices.depositCents);
      const days = daysOf(edition);
      const pageUrl = pageUrlOf(context);
      const reason = reasonOf(letter, edition, context);
      if (letter.addressHasPlace)
        return {
          preheader: 'Unless it is for somebody else, there is nothing to do and nothing to pay.',
          title: 'This address already has a place',
          blocks: [
            `Thank you for taking this step toward ${facts.title}. Somebody has just begun a registration with your e-mail address.`,
            `There is already a paid place for ${days} under this address. If it is your own, you are registered: there is nothing to do and nothing to pay. Simply leave the new registration as it is, and nothing is charged. You can see your place on your own page: enter this address at ${new URL(OWN_PAGE_PATH, pageUrl).href}, and we send you the link. If you are not sure, ask us. We will gladly look it up for you.`,
            `If it is for somebody else, also for somebody of the same name, we look forward to one more person at the table. That place is reserved once its own deposit of ${deposit} is paid, and nothing is charged until you confirm the payment yourself. If you have just paid it, the receipt and the schedule come in a second e-mail.`,
            'Should you have paid for your own place once more, nothing is lost: we keep the second payment apart, write to you, and give all of it back.',
            'For two days after the last change, the link below leads back to the new registration, in the browser where it was started.',
            button('Finish it for somebody else', wayBack(pageUrl, letter.paymentIntentId)),
          ],
          questions: `To ask us, ${waysToAsk(context)}.`,
          reason,
        };
      return {
        preheader: 'Nothing has been charged yet.',
        title: 'Your details have arrived',
        blocks: [
          `Thank you for taking this step toward ${facts.title}. Your details have arrived safely, and we are glad that you are thinking of spending ${days} with us.`,
          `Nothing has been charged yet. The place is yours once the deposit of ${deposit} is paid: then your receipt and the schedule come in a second e-mail.`,
        ],
        questions: askBeforePaying(context),
        reason,
      };
    },
    samples: () => ({ usual: {}, 'with-a-place': { addressHasPlace: true } }),
  },

  /** To her, a day after her last submit, if she has not paid: how to come back, and how to end it. */
  unfinished: {
    name: 'Reminder of an unfinished registration',
    subject: ({ facts }) => `Your registration is not finished: ${facts.title}`,
    names: 'probable ones',
    now(record, now) {
      const { deposit, offer, isNotReminded, edition, letters } = record;
      const { facts } = edition;
      // Where the first letter was withheld, so is this one.
      const isHeard = letters['registration-received'] === 'sent';
      const isBegun = deposit === 'unpaid' && !record.decisions.held;
      const isLeft = isBegun && offer === undefined && !isNotReminded && isHeard;
      const isTime = now >= remindAt(record) && now < new Date(facts.registration.closes);
      return facts.remindsUnfinished && isLeft && isTime ? {} : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: 'Nothing was charged. This is the way back, if you would still like to come.',
      title: 'Would you still like to come?',
      blocks: [
        `You began to register for ${edition.facts.title}, ${daysOf(edition)}. The deposit of ${formatCents(edition.facts.prices.depositCents)} has not been paid, so no place is reserved for you yet, and nothing was charged.`,
        'If something came between you and the payment, the way back is short: for two days after your last change, the link below leads back to where you were, in the browser where you began. In another browser, or later, the form is empty, and takes a minute to fill in.',
        button('Finish your registration', wayBack(pageUrlOf(context), letter.paymentIntentId)),
        'If you have changed your mind, one press ends the registration and deletes your details. Either way, we do not remind you again.',
        button('End this registration', endUrlOf(letter, edition, context)),
      ],
      questions: askBeforePaying(context),
      reason: `${enteredAt(context)} If that was not you, end the registration with the link above.`,
    }),
    samples: () => ({ usual: {} }),
  },
} satisfies SomeLetters;

const DAY_MS = 24 * 60 * 60 * 1000;

/** When somebody who has begun to register is reminded, if she has not paid: a day after her last submit. */
export function remindAt({ begunAt, submittedAt = begunAt }: RegistrationRecord): Date {
  return new Date(submittedAt.getTime() + DAY_MS);
}

/** Why the letter came to an address that anybody may have entered. */
function reasonOf(letter: Registrant, edition: Edition, context: MessageContext): string {
  return `${enteredAt(context)} If that was not you, you can end the registration, and delete what was entered, here: ${endUrlOf(letter, edition, context)}`;
}

const askBeforePaying = (context: MessageContext): string =>
  `Is something unclear, or would you rather pay by check or with a payment plan? ${beginning(waysToAsk(context))}.`;

const enteredAt = (context: MessageContext): string =>
  `You received this e-mail because your address was entered at ${pageUrlOf(context)}.`;

/** The URL that ends the registration; valid as long as it can be paid. */
function endUrlOf(
  { paymentIntentId: deposit, linksEpoch: epoch = 0, email }: Registrant,
  { facts }: Edition,
  { links }: MessageContext,
): string {
  return links.endUrl({ deposit, epoch, expiresAt: registrationOverAt(facts) }, email);
}

/**
 * The URL of the stepper. The payment's id is not a secret: it only finds what the registrant's own browser
 * has stored.
 */
function wayBack(pageUrl: string, paymentIntentId: string): string {
  const url = new URL(pageUrl);
  url.searchParams.set(LETTER_QUERY, paymentIntentId);
  url.hash = REGISTER_SECTION_ID;
  return url.href;
}
