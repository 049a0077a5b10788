import type { PersonMail, RegistrationMail } from '#server/mail/job.ts';
import type { DetailsBefore } from '#server/mail/job-facts.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import { hoursAfter, type Said, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { button, type Fact, type FactRow, factTable } from './render/letter.ts';
import { type MessageContext, officePageOf } from './render/links.ts';
import { cleanName, fullName, isolate, shortName } from './render/names.ts';
import { dayOf } from './render/parts.ts';

/** Texts of several notices to the office. */
export const officeWords = {
  deposit: 'Deposit',
  notGiven: 'not given',
  reply: (name: string) => `If you reply to this e-mail, your reply goes to ${name}.`,
} as const;

/** The parts of a notice that differ from the other notices. */
interface Notice {
  preheader: string;
  title: string;
  intro: (name: string) => string;
  /** The state of its payment. */
  facts: readonly FactRow[];
}

/** A notice to the office about one registration: who it is, the state of the payment, and the link to it. */
export function noticeToOffice(
  letter: RegistrationMail,
  context: MessageContext,
  { preheader, title, intro, facts }: Notice,
): Said {
  const name = isolate(fullName(letter));
  const { paymentIntentId: id } = letter;
  const paymentUrl = `https://dashboard.stripe.com/payments/${id}`;
  const page = officePageOf(context, id);
  return {
    preheader,
    title,
    blocks: [
      intro(name),
      factTable([...personFacts(letter), ...facts, { label: 'Payment', value: id, href: paymentUrl }]),
      page ? button('Open her registration', page) : button('Open the payment at Stripe', paymentUrl),
      officeWords.reply(name),
    ],
  };
}

const zoneName = oncePer(formatTimeZone);

/** Who somebody is, and how to reach her. */
export function personFacts({ email, phoneNumber, timeZone, ...names }: PersonMail): FactRow[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: 'Name', value: isolate(fullName(names)), strong: true },
    { label: 'E-mail', value: isolate(email), href: mailLink(cleanName(email)) },
    phone
      ? { label: 'Phone', value: isolate(phone), href: phoneLink(phone) }
      : { label: 'Phone', value: officeWords.notGiven },
    { label: 'Time zone', value: isKnownTimeZone(timeZone) && zoneName(timeZone) },
  ];
}

const unpaid = (facts: Facts): Fact => ({
  label: officeWords.deposit,
  value: `${formatCents(facts.prices.depositCents)}, not yet paid`,
});
/** The line of a registration whose deposit is paid. */
export const paid: Fact = { label: officeWords.deposit, value: 'Paid' };

/** To the office, about details and deposit. */
export const officeNotices = {
  /** As soon as somebody's details have arrived (R5.3). */
  'office-notice': {
    name: 'To the office: somebody registers',
    subject: (_edition, letter) => `Details received, not paid: ${shortName(letter)}`,
    says(letter, { facts }, context) {
      const { title, total } = facts.retreatPackage;
      return noticeToOffice(letter, context, {
        preheader: `The deposit of ${formatCents(facts.prices.depositCents)} is not paid yet.`,
        title: 'Details received, not paid',
        intro: (name) =>
          `${name} has entered contact details for ${facts.title}. The deposit was not paid yet when this notice was written; you get another notice when it is.`,
        facts: [{ label: 'Package', value: `${title}, ${formatDollars(total)}` }, unpaid(facts)],
      });
    },
    samples: () => ({ usual: {} }),
  },

  /** When details that it was told have changed: the new details, and the previous ones. */
  'office-change': {
    name: 'To the office: her details have changed',
    subject: (_edition, letter) =>
      `${letter.isHandedOver ? 'Place handed over' : 'Changed details'}: ${shortName(letter)}`,
    says: (letter, edition, context) =>
      noticeToOffice(letter, context, {
        ...(letter.isHandedOver ? handedOver(edition) : changedDetails(edition)),
        facts: [...detailsBefore(letter.before, edition), letter.paid ? paid : unpaid(edition.facts)],
      }),
    samples(edition) {
      const until = hoursAfter(sampleFacts(edition).paidAt, -271);
      const before = {
        name: { was: 'Wilma Flintstone', until, by: 'the registrant' },
        email: { was: 'old@example.org', until, by: 'Anna' },
        phoneNumber: { was: '', until, by: '\u202eAnna\r\nBcc: x' },
      };
      return {
        usual: { paid: false },
        'when-paid': { paid: true },
        'with-what-it-was': { paid: true, before },
        'when-handed-over': { paid: true, before, isHandedOver: true },
      };
    },
  },

  /** Once Stripe says that the deposit is paid. */
  'office-paid': {
    name: 'To the office: she paid the deposit',
    subject: (_edition, letter) => `Paid: ${shortName(letter)}, ${formatCents(letter.amountCents)}`,
    says(letter, { facts: { title } }, context) {
      const way = letter.by === 'scholarship' ? ' by her scholarship' : letter.by ? ` by ${letter.by}` : '';
      const amount = `${formatCents(letter.amountCents)}${way}`;
      const said = letter.isSecond
        ? {
            preheader: 'Paid a second time: please give it back.',
            intro: (name: string) =>
              `${name} has paid the deposit for ${title} a second time. This payment is held: nothing more is charged for it, and instead of the welcome a letter tells her so. Please give it back on the page of the registration, or record there that these are two people.`,
          }
        : {
            preheader: 'The welcome e-mail is sent automatically.',
            intro: (name: string) =>
              `${name} has paid the deposit for ${title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
          };
      const facts = [{ label: 'Received', value: amount, strong: true }];
      return noticeToOffice(letter, context, { ...said, title: `Paid: ${amount}`, facts });
    },
    samples: ({ facts: { prices } }) => ({
      usual: { amountCents: prices.depositCents },
      'a-second-time': { amountCents: prices.depositCents, isSecond: true },
    }),
  },
} satisfies SomeLetters;

const changedDetails = ({ facts: { title } }: Edition) => ({
  preheader: 'The new details replace those in an earlier notice.',
  title: 'Changed details',
  intro: (name: string) =>
    `The details of ${name}’s registration for ${title} have changed. They replace those in an earlier notice.`,
});

const handedOver = ({ facts: { title } }: Edition) => ({
  preheader: 'Both have agreed. Links, card and consent are those of the new one.',
  title: 'A place was handed over',
  intro: (name: string) =>
    `${name} now has the place of somebody else for ${title}: both have agreed. The links, the card and the consent of who had it before have ended. Money between the two is theirs.`,
});

const details = { name: 'Earlier name', email: 'Earlier e-mail', phoneNumber: 'Earlier phone' } as const;

function detailsBefore(before: DetailsBefore | undefined, edition: Edition): FactRow[] {
  return (['name', 'email', 'phoneNumber'] as const).map((detail) => {
    const one = before?.[detail];
    const was = one && (isolate(one.was) || officeWords.notGiven);
    return {
      label: details[detail],
      value: one && `${was} (until ${dayOf(one.until, edition)}, changed by ${isolate(one.by)})`,
    };
  });
}
