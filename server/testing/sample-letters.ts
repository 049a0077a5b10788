import { placeLinkLetter } from '#server/letters/holder-letters.ts';
import { type Mail, mailOf } from '#server/letters/letter-kind.ts';
import { messageLetter, testLetter } from '#server/letters/message.ts';
import { type OfficeItem, officeNeeds } from '#server/letters/office-digest-words.ts';
import { digestOf, officeLetters } from '#server/letters/office-letters.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { isLetterName, type LetterName, lettersNow, waitingLettersDue } from '#server/letters/table.ts';
import { createLinks, type WaitingRecord } from '#server/registration/registration.ts';
import { type Person, samplePeople, wilma } from '#server/testing/sample-people.ts';
import { edition as january } from '#shared/content/compiled/january-2026.ts';
import type { Edition } from '#shared/content/edition.ts';

/** People whose names and places letters easily get wrong. */
export const readers = {
  berlin: { label: 'In Berlin', person: wilma },
  california: {
    label: 'In California',
    person: {
      ...wilma,
      timeZone: 'America/Los_Angeles',
      firstName: 'Jördis',
      lastName: 'Weiß',
    },
  },
  'right-to-left': {
    label: 'A name from right to left, and an emoji',
    person: { ...wilma, firstName: 'نور 🌿', lastName: 'حداد', timeZone: 'Asia/Kathmandu' },
  },
  message: {
    label: 'A message for a name',
    person: {
      ...wilma,
      firstName: 'Your account is on hold and will be closed today. Please call',
      lastName: '555 0142 with your card at hand, or the place is given to the next on the list',
    },
  },
  'without-a-space': {
    label: 'Names of 99 letters without a space',
    person: { ...wilma, firstName: 'W'.repeat(99), lastName: 'O'.repeat(99) },
  },
  hostile: {
    label: 'A hostile name',
    person: {
      ...wilma,
      timeZone: '../etc/localtime',
      firstName: '<script>alert(1)</script>\r\nBcc: all@example.org',
      lastName: '"\u202eO’Hara" <win@prize.example>',
      email: 'an-address-that-is-long-enough-to-push-a-table-apart@a-long-subdomain.example.org',
    },
  },
} satisfies Record<string, { label: string; person: Person }>;

const siteUrl = 'https://retreat.example';
const secret = 'a-secret-of-sample-letters-only';

/** The site and the office from which the letters come. */
export const letterContext = {
  office: {
    email: 'office@retreat.example',
    phone: '+1 (555) 555-0100',
    fax: '+1 (555) 555-0101',
    postalAddress: '100 Example Street, Sampletown, CA 90000',
    legalName: 'Sample Retreats LLC',
  },
  siteUrl,
  links: createLinks([secret], siteUrl),
} satisfies MessageContext;

/** The same where the office's pages are set up, too: letters to the office link to them. */
export const contextWithOffice = { ...letterContext, officeUrl: 'https://office.retreat.example' };

type Shown = readonly [person: string, mail: Mail];

/** What the sample people get: of one kind, or all. */
function lettersTo(reader: Person, edition: Edition, kind?: LetterName): Shown[] {
  const people = Object.entries(samplePeople(reader, edition)).flatMap(([person, sample]) =>
    sample.letters.flatMap((name): Shown[] => {
      if (!isLetterName(name)) throw new Error(`There is no letter ${name}`);
      if (kind !== undefined && name !== kind) return [];
      const { record, now, announced } = sample;
      const all = lettersNow(name, record, now, announced);
      if (all.length === 0) throw new Error(`${name} is not due for her who ${person}`);
      return all.map((mail) => [person, mail]);
    }),
  );
  const others = otherLetters(reader, edition);
  return [...people, ...others.filter(([, mail]) => kind === undefined || mail.kind === kind)];
}

/** Every letter to the sample people, by its kind and, but for the first of a kind, the person. */
export function everyLetter(
  reader: Person = wilma,
  edition: Edition = january,
): Readonly<Record<string, Mail>> {
  const named = new Map<string, Mail>();
  for (const [person, mail] of lettersTo(reader, edition)) {
    const { kind } = mail;
    const names = [kind, `${kind}: ${person}`, `${kind}: ${person}, once more`];
    const name = names.find((one) => !named.has(one));
    if (name === undefined) throw new Error(`Her who ${person} gets too many of ${kind}`);
    named.set(name, mail);
  }
  return Object.fromEntries(named);
}

/** A letter to a sample person; to the first who gets one of the kind, unless another one is named. */
export function letter(
  kind: LetterName,
  person?: string,
  reader: Person = wilma,
  edition: Edition = january,
): Mail {
  const all = lettersTo(reader, edition, kind);
  const [, mail] = all.find(([who]) => person === undefined || who === person) ?? [];
  if (!mail) throw new Error(`There is no letter ${kind} to her who ${person}`);
  return mail;
}

/** Those to who waits for a place, and those that somebody asks for. */
function otherLetters(reader: Person, edition: Edition): (readonly [person: string, mail: Mail])[] {
  const { 'has paid the deposit': paid } = samplePeople(reader, edition);
  if (!paid) return [];
  const { record, now } = paid;
  const { id: _, ...registrant } = reader;
  const joinedAt = new Date(now.getTime() - 3 * DAY_MS);
  const entry: WaitingRecord = {
    id: 'waiting_019aed8c31c07b5e9d2f4a6b8c0e1f23',
    edition,
    joinedAt,
    askedAt: joinedAt,
    isConfirmed: true,
    registrant,
    addressHasPlace: false,
    letters: [],
    nextAt: now,
  };
  const offer = { until: new Date(now.getTime() + 2 * DAY_MS), at: now, by: 'Anna' };
  const waiting: Record<string, WaitingRecord> = {
    'wants to wait': { ...entry, joinedAt: now, askedAt: now, isConfirmed: false },
    'wants to wait and has a place': {
      ...entry,
      joinedAt: now,
      askedAt: now,
      isConfirmed: false,
      addressHasPlace: true,
    },
    waits: entry,
    'waits and asks again': { ...entry, askedAt: now },
    'is offered a place': { ...entry, offer },
    'is offered a place and asks again': { ...entry, offer, askedAt: now },
  };
  const words = { message: '1f2e3d4c5b6a7988', ...sampleMessage(edition) };
  const digest = (items: readonly OfficeItem[]): Mail =>
    mailOf(
      'office-digest',
      officeLetters['office-digest'],
      { id: edition.facts.id, edition },
      digestOf(now.toISOString().slice(0, 10), items),
    );
  const requested = {
    'asks for her link': placeLinkLetter(record, 'asked'),
    'is written to': messageLetter(record, words),
    'is written to unpaid': messageLetter({ ...record, deposit: 'unpaid', letterWaits: false }, words),
    'tries a message': testLetter(edition, words),
    'has a few things to do': digest(someItems(reader, edition, now).slice(0, 2)),
    'has everything to do': digest(someItems(reader, edition, now)),
  };
  return [
    ...Object.entries(waiting).flatMap(([person, one]) =>
      waitingLettersDue(one, now).map((mail) => [person, mail] as const),
    ),
    ...Object.entries(requested).flatMap(([person, mail]) => (mail ? [[person, mail] as const] : [])),
  ];
}

const DAY_MS = 24 * 60 * 60 * 1000;

function sampleMessage({ facts }: Edition) {
  const text = [
    'Two things before we begin, {first name}.',
    'Please have paper and a pen at hand, and something warm to drink.\nA quiet corner is enough; it need not be a whole room.',
    'If you would like to bring a poem, please do.',
    'Your own page shows when we meet.',
    '{link}',
    '<b>This is no markup</b> & stays as it was typed.',
  ].join('\n\n');
  return { subject: `What to have at hand for ${facts.title}`, text };
}

/** One item of each need. */
function someItems({ id: registration, ...person }: Person, { facts }: Edition, now: Date): OfficeItem[] {
  const name = `${person.firstName} ${person.lastName}`;
  const hers = { registration, name, since: now.toISOString() };
  const cents = facts.prices.balanceCents;
  const details: Partial<Record<OfficeItem['need'], Omit<OfficeItem, 'need'>>> = {
    'action-needed': { ...hers, cents, reason: 'authentication' },
    'asked-to-pay': { ...hers, cents, obstacle: 'no-card', part: { position: 2, count: 3 } },
    payments: { count: 2 },
    'place-free': { count: 1 },
    'waiting-bounced': { name, since: now.toISOString() },
    'letter-failed': { ...hers, mail: `welcome-${registration}-1a2b3c4d` },
    overbooked: { count: 1 },
    'no-room': {},
  };
  return officeNeeds.map((need) => ({ need, ...(details[need] ?? { ...hers, cents }) }));
}
