import type { Registrant, RegistrationRecord } from '#server/registration/registration.ts';
import type { Facts } from '#shared/content/edition.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import type { Due, LetterKinds, RequestedLetter, Said } from './letter-kind.ts';
import { depositWay } from './money.ts';
import {
  type OfficeChange,
  type OfficeItem,
  officeNeeds,
  officeDigestMail as words,
} from './office-digest-words.ts';
import { isBegun } from './registration-letters.ts';
import { type Block, button, type Fact, type FactRow, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate, shortName } from './render/names.ts';
import { officePageOf, officePages, officeUrlOf, pageUrlOf, type Writing } from './render/parts.ts';

export const officeWords = {
  deposit: 'Deposit',
  notGiven: 'not given',
  reply: (name: string) => `If you reply to this e-mail, your reply goes to ${name}.`,
} as const;

interface Notice {
  subject: string;
  preheader: string;
  title: string;
  intro: (name: string) => string;
  facts: readonly FactRow[];
}

export function noticeToOffice(
  { id, registrant, depositPayment }: RegistrationRecord,
  w: Writing,
  { intro, facts, ...notice }: Notice,
): Said {
  const name = isolate(fullName(registrant));
  const payment = depositPayment?.id;
  const paymentUrl = payment && `https://dashboard.stripe.com/payments/${payment}`;
  const page = officePageOf(w, id);
  return {
    ...notice,
    blocks: [
      intro(name),
      factTable([
        ...personFacts(registrant),
        ...facts,
        { label: 'ID', value: id },
        { label: 'Payment', value: payment, href: paymentUrl },
      ]),
      page
        ? button('Open her registration', page)
        : paymentUrl && button('Open the payment at Stripe', paymentUrl),
      officeWords.reply(name),
    ],
  };
}

const zoneName = oncePer(formatTimeZone);

export function personFacts({ email, phoneNumber, timeZone, ...names }: Registrant): FactRow[] {
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

export const officeNotices = {
  /** As soon as somebody's details have arrived (R5.3). */
  'office-notice': {
    to: 'office',
    name: 'To the office: someone is registering',
    due: (record) =>
      isBegun(record)
        ? {
            says(w) {
              const { facts } = w.edition;
              const { title, total } = facts.retreatPackage;
              return noticeToOffice(record, w, {
                subject: `Details received, not paid: ${shortName(record.registrant)}`,
                preheader: `The deposit of ${formatCents(facts.prices.depositCents)} is not paid yet.`,
                title: 'Details received, not paid',
                intro: (name) =>
                  `${name} has entered contact details for ${facts.title}. The deposit had not been paid when this notice was written; you get another notice when it is.`,
                facts: [{ label: 'Package', value: `${title}, ${formatDollars(total)}` }, unpaid(facts)],
              });
            },
          }
        : undefined,
  },

  /** Once Stripe says that the deposit is paid. */
  'office-paid': {
    to: 'office',
    name: 'To the office: she paid the deposit',
    due: (record) =>
      record.deposit === 'paid'
        ? {
            says(w) {
              const by = depositWay(record);
              const way = by === 'scholarship' ? ' by her scholarship' : by ? ` by ${by}` : '';
              const sum = formatCents(record.depositCents);
              return noticeToOffice(record, w, {
                subject: `Paid: ${shortName(record.registrant)}, ${sum}`,
                preheader: 'The welcome e-mail is sent automatically.',
                title: `Paid: ${sum}${way}`,
                intro: (name) =>
                  `${name} has paid the deposit for ${w.edition.facts.title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
                facts: [{ label: 'Received', value: `${sum}${way}`, strong: true }],
              });
            },
          }
        : undefined,
  },
} satisfies LetterKinds;

/** To the office: everything that needs it, grouped by what it has to do. */
export const officeDigest = {
  'office-digest': {
    about: 'request',
    to: 'office',
    name: 'To the office: what needs you today',
    asksToPay: true,
  },
} satisfies LetterKinds<RequestedLetter>;

/** @param day an ISO date in the retreat's time zone */
export function digestOf(day: string, items: readonly OfficeItem[], changes: readonly OfficeChange[]): Due {
  return {
    version: day,
    says(w) {
      const needed = officeNeeds.filter((need) => items.some((item) => item.need === need));
      return {
        subject: words.subject(items.length, w.edition.facts),
        preheader: words.preheader([
          ...needed.map((need) => words.needs[need].title),
          ...(changes.length > 0 ? [words.changes.title] : []),
        ]),
        title: words.title(day),
        blocks: [
          words.intro(w.edition.facts),
          ...needed.flatMap((need) => [
            heading(words.needs[need].title),
            words.needs[need].whatToDo,
            ...items.filter((item) => item.need === need).map((item) => itemBlock(item, w)),
          ]),
          changes.length > 0 && heading(words.changes.title),
          ...changes.map((change) => changeBlock(change, w)),
          words.another,
        ],
        reason: words.reason(pageUrlOf(w)),
      };
    },
  };
}

function changeBlock({ name, detail, was, at, registration }: OfficeChange, w: Writing): Block {
  const page = officePageOf(w, registration);
  const before =
    detail === 'place'
      ? words.changes.place
      : words.changes.before(detail === 'name' ? words.name : registrationCopy.contact[detail]);
  return factTable([
    { label: words.name, value: isolate(name), strong: true },
    { label: before, value: was === '' ? officeWords.notGiven : isolate(was) },
    { label: words.since, value: w.day(new Date(at)) },
    { label: words.open, value: page && words.herPage, href: page },
  ]);
}

/** With the office's page of it, or else the command that helps. */
function itemBlock(item: OfficeItem, w: Writing): Block {
  const { need, name, cents, part, since, reason, obstacle, count, registration: id, mail } = item;
  const why = reason ? words.reasons[reason] : obstacle && words.obstacles[obstacle];
  const isOfList = need === 'place-free' || need === 'waiting-bounced';
  const page = id
    ? { value: words.herPage, href: officePageOf(w, id) }
    : isOfList
      ? { value: words.waitingList, href: officeUrlOf(w, officePages.waiting) }
      : { value: words.lettersToAll, href: officeUrlOf(w, officePages.letters) };
  const isOnPage = id !== undefined || isOfList || need === 'no-room';
  const sum = cents !== undefined && [formatCents(cents), ...(part ? [nameOfPart(part)] : [])].join(', ');
  const command = isOnPage && !page.href && commandOf(need, id ?? w.edition.facts.id);
  return factTable([
    { label: words.name, value: name && isolate(name), strong: true },
    { label: countWords(need), value: count?.toString() },
    { label: words.sum, value: sum },
    { label: words.since, value: since && w.day(new Date(since)) },
    { label: words.why, value: why },
    { label: words.letter, value: mail },
    { label: words.command, value: command },
    { label: words.open, value: isOnPage && page.href && page.value, href: page.href },
  ]);
}

function countWords(need: OfficeItem['need']): string {
  const { places, tooMany, payments } = words;
  if (need === 'place-free') return places;
  return need === 'overbooked' ? tooMany : payments;
}

function commandOf(need: OfficeItem['need'], id: string): string | undefined {
  const said = words.needs[need];
  return 'command' in said ? said.command(id) : undefined;
}
