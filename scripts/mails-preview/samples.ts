import type { MailJob, MailKind } from '#server/mail/job.ts';
import type { MessageContext } from '#server/mail/messages/message.ts';
import { DEPOSIT_CENTS } from '#shared/retreat-package.ts';

/** The site that the samples were registered at. */
export const sampleContext: MessageContext = {
  office: { email: 'office@retreat.example', phone: '+1 (555) 555-0100' },
  siteUrl: 'https://retreat.example',
};

const visitor = {
  paymentIntentId: 'pi_3Sample00000000000000001',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'America/Los_Angeles',
};

/** People to preview the letters with, by the name that stands in the address. */
export const samples = {
  california: { label: 'In California', person: visitor },
  berlin: {
    label: 'In Berlin',
    person: { ...visitor, firstName: 'Jördis', lastName: 'Weiß', timeZone: 'Europe/Berlin' },
  },
  'right-to-left': {
    label: 'A name from right to left, and an emoji',
    person: { ...visitor, firstName: 'نور 🌿', lastName: 'حداد', timeZone: 'Asia/Kathmandu' },
  },
  hostile: {
    label: 'A hostile name',
    person: {
      ...visitor,
      firstName: '<script>alert(1)</script>\r\nBcc: all@example.org',
      lastName: '"\u202eO’Hara" <win@prize.example>',
      email: 'an-address-that-is-long-enough-to-push-a-table-apart@a-long-subdomain.example.org',
      timeZone: '../etc/localtime',
    },
  },
} as const satisfies Record<string, { label: string; person: typeof visitor }>;
export type SampleName = keyof typeof samples;

export const kinds = ['registration-received', 'welcome', 'office-notice'] as const satisfies MailKind[];

/** The job of one kind for one sample person. */
export function sampleJob(sample: SampleName, kind: MailKind): MailJob {
  const { person } = samples[sample];
  return kind === 'welcome' ? { kind, ...person, amountCents: DEPOSIT_CENTS } : { kind, ...person };
}

export function isSampleName(name: string | undefined): name is SampleName {
  return name !== undefined && Object.hasOwn(samples, name);
}

export function isKind(name: string | undefined): name is MailKind {
  return kinds.some((kind) => kind === name);
}
