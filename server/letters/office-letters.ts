import type { Registrant, RegistrationRecord } from '#server/registration/registration.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { formatDate } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import type { Due, LetterKinds, RegistrationLetter, RequestedLetter, Said } from './letter-kind.ts';
import { depositWay } from './money.ts';
import { declineWords, needs, type OfficeItem, obstacleWords, officeNeeds } from './office-digest-words.ts';
import { isBegun } from './registration-letters.ts';
import { type Block, button, type FactRow, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate } from './render/names.ts';
import { officePages, officeUrlOf, pageUrlOf, type Writing } from './render/parts.ts';

const NOT_GIVEN = 'not given';

interface Notice {
  subject: string;
  title: string;
  intro: (name: string) => string;
  facts: readonly FactRow[];
  /** Where its button leads, if not to her registration. */
  page?: readonly [label: string, path: string];
}

/** About a registration, or an entry of the waiting list. */
export function noticeToOffice(
  { id, registrant, depositPayment }: Pick<RegistrationRecord, 'id' | 'registrant' | 'depositPayment'>,
  w: Writing,
  { intro, facts, page = ['Open her registration', officePages.registration(id)], ...notice }: Notice,
): Said {
  const name = isolate(fullName(registrant));
  const payment = depositPayment?.id;
  const [label, path] = page;
  const href = officeUrlOf(w, path);
  return {
    ...notice,
    blocks: [
      intro(name),
      factTable([
        ...personFacts(registrant),
        ...facts,
        { label: 'ID', value: id },
        { label: 'Payment', value: payment, href: `https://dashboard.stripe.com/payments/${payment}` },
      ]),
      href && button(label, href),
      `If you reply to this e-mail, your reply goes to ${name}.`,
    ],
  };
}

const zoneName = oncePer(formatTimeZone);

function personFacts({ email, phoneNumber, timeZone, ...names }: Registrant): FactRow[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: 'Name', value: isolate(fullName(names)), strong: true },
    { label: 'E-mail', value: isolate(email), href: mailLink(cleanName(email)) },
    { label: 'Phone', value: isolate(phone) || NOT_GIVEN, href: phone ? phoneLink(phone) : undefined },
    { label: 'Time zone', value: isKnownTimeZone(timeZone) && zoneName(timeZone) },
  ];
}

export const officeLetters = {
  'office-notice': {
    to: 'office',
    name: 'To the office: someone is registering',
    due: (record) => (isBegun(record) ? { says: (w) => saidOfDetails(record, w) } : undefined),
  },

  'office-paid': {
    to: 'office',
    name: 'To the office: she paid the deposit',
    due: (record) => (record.deposit === 'paid' ? { says: (w) => saidOfPaid(record, w) } : undefined),
  },

  'office-digest': {
    about: 'request',
    to: 'office',
    name: 'To the office: what needs you today',
    asksToPay: true,
  },
} satisfies LetterKinds<RegistrationLetter | RequestedLetter>;

function saidOfDetails(record: RegistrationRecord, w: Writing): Said {
  const { facts } = w.edition;
  const { title, total } = facts.retreatPackage;
  const deposit = formatCents(facts.prices.depositCents);
  return noticeToOffice(record, w, {
    subject: `Details received, not paid: ${fullName(record.registrant)}`,
    title: 'Details received, not paid',
    intro: (name) =>
      `${name} has entered contact details for ${facts.title}. The deposit had not been paid when this notice was written; you get another notice when it is.`,
    facts: [
      { label: 'Package', value: `${title}, ${formatDollars(total)}` },
      { label: 'Deposit', value: `${deposit}, not yet paid` },
    ],
  });
}

function saidOfPaid(record: RegistrationRecord, w: Writing): Said {
  const by = depositWay(record);
  const way = by === 'scholarship' ? ' by her scholarship' : by ? ` by ${by}` : '';
  const sum = `${formatCents(record.depositCents)}${way}`;
  return noticeToOffice(record, w, {
    subject: `Paid: ${fullName(record.registrant)}, ${formatCents(record.depositCents)}`,
    title: `Paid: ${sum}`,
    intro: (name) =>
      `${name} has paid the deposit for ${w.title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
    facts: [{ label: 'Received', value: sum, strong: true }],
  });
}

/** @param day an ISO date in the retreat's time zone */
export function digestOf(day: string, items: readonly OfficeItem[]): Due {
  const needed = officeNeeds.filter((need) => items.some((item) => item.need === need));
  const count = items.length === 1 ? 'One thing needs' : `${items.length} things need`;
  return {
    version: day,
    says(w) {
      const site = pageUrlOf(w);
      return {
        subject: `${count} you: ${w.title}`,
        title: `What needs you, ${formatDate(day)}`,
        blocks: [
          `${needed.map((need) => needs[need].title).join('; ')}. This is how the registrations for ${w.title} stand right now; what has been settled in the meantime is no longer listed.`,
          ...needed.flatMap((need) => [
            heading(needs[need].title),
            needs[need].whatToDo,
            ...items.filter((item) => item.need === need).map((item) => itemBlock(item, w)),
          ]),
          'The next digest comes tomorrow, if anything is left to do.',
        ],
        reason: `${site} sends you this digest once a day while something needs you.`,
      };
    },
  };
}

function itemBlock(item: OfficeItem, w: Writing): Block {
  const { need, name, cents, part, since, reason, obstacle, count, registration: id, mail } = item;
  const isOfList = need === 'place-free' || need === 'waiting-bounced';
  const [label, path] = id
    ? ['Her registration', officePages.registration(id)]
    : isOfList
      ? ['The waiting list', officePages.waiting]
      : ['Messages', officePages.letters];
  const isOnPage = id !== undefined || isOfList || need === 'no-room';
  const page = isOnPage ? officeUrlOf(w, path) : undefined;
  const edition = w.edition.facts.id;
  const ofEdition =
    need === 'no-room' ? `act ${edition} announce-room url=URL --by NAME` : `list --edition ${edition}`;
  const sum = cents !== undefined && [formatCents(cents), ...(part ? [nameOfPart(part)] : [])].join(', ');
  return factTable([
    { label: 'Name', value: name && isolate(name), strong: true },
    { label: 'How many', value: count?.toString() },
    { label: 'Sum', value: sum },
    { label: 'Since', value: since && w.day(new Date(since)) },
    { label: 'Why', value: reason ? declineWords[reason] : obstacle && obstacleWords[obstacle] },
    { label: 'E-mail', value: mail },
    { label: 'Command', value: isOnPage && !page && `support ${id ? `show ${id}` : ofEdition}` },
    { label: 'Open', value: page && label, href: page },
  ]);
}
