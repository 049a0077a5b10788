import {
  letterOf,
  sampleFacts,
  samplePaymentId,
  sampleRegistrationId,
  type Words,
} from '#server/letters/letter-kind.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { letterTable } from '#server/letters/table.ts';
import {
  isWaitingMail,
  MAIL_KINDS,
  type MailJob,
  type MailKind,
  type MailOf,
  mailRules,
} from '#server/mail/job.ts';
import { createLinks } from '#server/registration/links.ts';
import { edition as january } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';

/** Somebody to whom letters go, as a registrant or as one who waits for a place. */
export type Reader = typeof wilma;

export const wilma = {
  registration: sampleRegistrationId(1),
  depositPayment: samplePaymentId(1),
  waitingId: 'waiting_019aed8c31c07b5e9d2f4a6b8c0e1f23',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'Europe/Berlin',
};

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
} satisfies Record<string, { label: string; person: Reader }>;

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

/** A kind of letter, in a variant of the table, to somebody. */
export function letter<Kind extends MailKind>(
  kind: Kind,
  variant = 'usual',
  reader: Reader = wilma,
  edition: Edition = january,
): MailOf<Kind> {
  const facts = samples[kind].samples(edition)[variant];
  if (!facts) throw new Error(`There is no letter ${kind}, ${variant}`);
  return letterOf(kind, { edition: edition.facts.id, ...aboutOf(kind, reader, edition) }, facts);
}

const samples: { readonly [Kind in MailKind]: Pick<Words<Kind>, 'samples'> } = letterTable;

function aboutOf(kind: MailKind, { waitingId, registration, ...person }: Reader, edition: Edition): object {
  if (mailRules[kind].about === 'edition') return {};
  if (!isWaitingMail(kind)) return { registration, ...person };
  return { waitingId, ...person, joinedAt: sampleFacts(edition).earlier };
}

/** Every letter of the table, by its kind and what is special about it: `welcome`, `welcome-who-agreed`. */
export function everyLetter(reader?: Reader, edition: Edition = january): Readonly<Record<string, MailJob>> {
  const named = MAIL_KINDS.flatMap((kind) =>
    Object.keys(letterTable[kind].samples(edition)).map((variant) => {
      const name = variant === 'usual' ? kind : `${kind}-${variant}`;
      return [name, letter(kind, variant, reader, edition)] as const;
    }),
  );
  return Object.fromEntries(named);
}
