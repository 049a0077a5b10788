import { formatCents, formatDollars } from '#shared/money.ts';
import {
  BALANCE_CENTS,
  DEPOSIT_CENTS,
  PRICE_BY_CARD_CENTS,
  retreatPackage,
} from '#shared/retreat-package.ts';
import { edition, formatDate } from './edition.ts';

export interface PracticalFact {
  title: string;
  text: string;
}

export const practicalFactsTitle = 'Good to know';

export const practicalFacts: readonly PracticalFact[] = [
  {
    title: 'Live, over video conference',
    text: 'You take part in real time, from your own table, floor or favorite chair.',
  },
  {
    title: 'Recorded',
    text: 'Every session is recorded and made available to you online. By registering you also agree that your likeness, and what you say during the retreat, may be published.',
  },
  { title: 'Any device', text: 'A desktop, a laptop or a tablet: whatever reaches the internet will do.' },
  { title: 'A steady connection', text: 'We recommend a speed of at least 2.0\u00a0Mbps.' },
  {
    title: 'A test session',
    text: 'Try the video service with us beforehand, so that the first evening is about you and not your microphone.',
  },
  {
    title: 'Help by phone or text',
    text: 'Support is a call or a text message away throughout the retreat.',
  },
  { title: 'The book', text: 'Reading the teacher’s book is recommended, not required.' },
];

/** What it costs; said while registration is open. */
export const tuitionFact: PracticalFact = {
  title: 'Tuition',
  text: `${formatDollars(retreatPackage.total)} by check, or ${formatCents(PRICE_BY_CARD_CENTS)} by card: ${formatCents(DEPOSIT_CENTS)} when you register and ${formatCents(BALANCE_CENTS)} on ${formatDate(edition.balanceDueDate)}, card fees included. There are payment plans and partial scholarships; ask us.`,
};
