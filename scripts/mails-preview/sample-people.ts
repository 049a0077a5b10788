import { createPlaceLinks } from '#server/links/place-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { MessageContext } from '#server/mail/letters/links.ts';

const siteUrl = 'https://retreat.example';

/** The site at which the sample people registered. */
export const sampleContext: MessageContext = {
  office: {
    email: 'office@retreat.example',
    phone: '+1 (555) 555-0100',
    fax: '+1 (555) 555-0101',
    postalAddress: '100 Example Street, Sampletown, CA 90000',
    legalName: 'Sample Retreats LLC',
  },
  siteUrl,
  officeUrl: 'https://office.retreat.example',
  links: createPlaceLinks(['a-secret-of-the-preview-of-letters'], siteUrl),
  waitingLinks: createWaitingLinks(['a-secret-of-the-preview-of-letters'], siteUrl),
};

const visitor = {
  paymentIntentId: 'pi_3Sample00000000000000001',
  firstName: 'Wilma',
  lastName: 'O’Hara',
  email: 'wilma@example.org',
  phoneNumber: '+1 (555) 555-0142',
  timeZone: 'America/Los_Angeles',
};

/** People to preview the letters with, by the name in the URL. */
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
  message: {
    label: 'A message for a name',
    person: {
      ...visitor,
      firstName: 'Your account is on hold and will be closed today. Please call',
      lastName: '555 0142 with your card at hand, or the place is given to the next on the list',
    },
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

export type Person = (typeof samples)[SampleName]['person'];

export function isSampleName(name: string | undefined): name is SampleName {
  return name !== undefined && Object.hasOwn(samples, name);
}
