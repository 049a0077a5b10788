import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { messageId } from '#server/letters/message.ts';
import type { Typed } from '#server/office/commands/command.ts';
import { findByAddress, recordBounce } from '#server/registration/registration.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { give } from './command-drivers.ts';
import { DUE, daysAfter, recordSent } from './test-charges.ts';
import { limitPlaces } from './test-editions.ts';
import type { Office } from './test-office.ts';
import { failMail } from './test-queue.ts';
import { contactStep } from './test-registrations.ts';

/** A command of the office, and how to drive it. */
export interface CommandRow {
  command: string;
  typed?: Typed;
  /** Makes the command possible; returns the id of what it is about. By default somebody has paid her deposit. */
  arrange?(office: Office, t: TestContext): Promise<string>;
  /** Does something else, after which the command is still possible, but does not do what was shown. */
  meanwhile?(office: Office, key: string): Promise<unknown>;
  /** The kinds of the acts that are then on record about a registration. */
  acts?: readonly string[];
  /** What is then otherwise, if no act says it; the preview is in the command's own words. */
  does?(office: Office, key: string): Promise<boolean>;
  role?: 'support';
}

/** The day after the deposit. */
const EARLY = new Date('2025-12-02T20:00:00Z');
const TODAY = '2025-12-01';
const BOB = { firstName: 'Bob', lastName: 'Roe', email: 'bob@example.org', phoneNumber: '+1 310 555 0100' };
const HELD = { way: 'check', until: '2025-12-10', agreed: 'phone', agreedOn: TODAY };
const THREE = '2025-12-10 300\n2025-12-21 250\n2026-01-10 150';
const URL = 'https://videos.example.org/retreat';
const EDITION = edition.facts.id;
const { package: _, ...WILMA } = contactStep;

export async function paid(office: Office): Promise<string> {
  const id = await office.register();
  if (office.now() < EARLY) office.moveTo(EARLY);
  return id;
}

const begun = async ({ begin }: Office): Promise<string> => (await begin()).id;

const after =
  (command: string, typed?: Typed) =>
  async (office: Office): Promise<string> => {
    const id = await paid(office);
    await give(office, id, command, typed);
    return id;
  };

async function declined(office: Office): Promise<string> {
  const { sandbox, find, tell, moveTo, charge } = office;
  const id = await paid(office);
  await tell(id);
  moveTo(DUE);
  sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'insufficient_funds');
  await charge(id);
  return id;
}

async function settled(office: Office): Promise<string> {
  const { tell, moveTo, charge } = office;
  const id = await paid(office);
  await tell(id);
  moveTo(DUE);
  await charge(id);
  return id;
}

async function disputeWon(office: Office): Promise<string> {
  const { stripe, depositOf, sandbox, sync } = office;
  const id = await paid(office);
  const { latest_charge } = await stripe.paymentIntents.retrieve(await depositOf(id));
  sandbox.bank.closeDispute(sandbox.bank.openDispute(String(latest_charge)), 'won');
  await sync(id);
  return id;
}

async function unreachable(office: Office): Promise<string> {
  const id = await paid(office);
  await recordBounce(office.payments, { address: WILMA.email, at: office.now() }, office.now());
  return id;
}

async function over(office: Office): Promise<string> {
  const id = await paid(office);
  office.moveTo(daysAfter(new Date(edition.facts.endsAt), 1));
  return id;
}

const paidTwice = async ({ registerTwice }: Office): Promise<string> => (await registerTwice()).second;

/** The commands about registrations, each possible in its own situation. */
export const registrationRows: readonly CommandRow[] = [
  { command: 'hold', arrange: begun, typed: HELD, acts: ['consent', 'held'], does: isIn('held') },
  { command: 'end', arrange: begun, does: isIn('closed') },
  { command: 'charge', arrange: declined, acts: ['charge'] },
  { command: 'pay-by-check', acts: ['check'] },
  {
    command: 'received',
    typed: { way: 'check', dollars: '$1,000', on: TODAY, number: '1042' },
    acts: ['received'],
  },
  { command: 'waive', typed: { dollars: '200', as: 'scholarship', reason: 'low income' }, acts: ['waived'] },
  { command: 'postpone', typed: { day: '2025-12-31' }, acts: ['postponed'] },
  { command: 'plan', typed: { parts: THREE, paused: '' }, acts: ['plan'] },
  {
    command: 'plan-agreed',
    arrange: after('plan', { parts: THREE }),
    typed: { agreed: 'phone', agreedOn: TODAY },
    acts: ['planAgreed'],
  },
  {
    command: 'undo',
    arrange: after('waive', { dollars: '200', as: 'reduction' }),
    typed: { what: 'waived' },
    acts: ['withdrawal'],
  },
  { command: 'cancel', typed: { written: `${TODAY}T09:00` }, acts: ['cancel'] },
  {
    command: 'refund',
    arrange: settled,
    typed: { dollars: '50.25', reason: 'She was ill <b>& alone</b>' },
    acts: ['refund'],
  },
  { command: 'cancel-whole', arrange: paidTwice, acts: ['cancel'] },
  { command: 'two-people', arrange: paidTwice, acts: ['twoPeople'] },
  {
    command: 'refund-by-check',
    arrange: after('received', { way: 'check', dollars: '750', on: TODAY }),
    typed: { dollars: '50', sent: '2025-12-02' },
    acts: ['checkSent'],
  },
  { command: 'dispute-over', arrange: disputeWon, acts: ['disputeOver'] },
  { command: 'note', typed: { text: 'Call her after six.' }, acts: ['note'] },
  {
    command: 'edit',
    typed: { ...WILMA, lastName: '<i>Hart</i>' },
    acts: ['corrected'],
    does: async ({ find }, id) => (await find(id)).registrant.lastName === '<i>Hart</i>',
  },
  { command: 'hand-over', typed: BOB, acts: ['handOver'] },
  { command: 'hand-over-agreed', arrange: after('hand-over', BOB), acts: ['handOverAgreed'] },
  {
    command: 'address-works',
    arrange: unreachable,
    does: async ({ find }, id) => (await find(id)).bounced?.by === 'Anna',
  },
  {
    command: 'link',
    typed: { renew: 'yes' },
    does: async ({ find }, id) => (await find(id)).linksEpoch === 1,
  },
  {
    command: 'forget',
    arrange: over,
    role: 'support',
    acts: ['forgotten'],
    does: async ({ find }, id) => (await find(id)).registrant.email === '',
  },
];

function isIn(state: string) {
  return async (office: Office, id: string): Promise<boolean> => (await office.state(id)) === state;
}

async function waits({ admission }: Office, t: TestContext): Promise<string> {
  limitPlaces(t, 1);
  const id = await admission.waitingList.join({ contact: WILMA, timeZone: '', facts: edition.facts });
  await admission.waitingList.confirm(id);
  return id;
}

async function isOffered(office: Office, t: TestContext): Promise<string> {
  const id = await waits(office, t);
  await give(office, id, 'offer');
  return id;
}

async function offeredAnew(office: Office, id: string): Promise<void> {
  await give(office, id, 'withdraw');
  office.moveTo(new Date(+office.now() + 1000));
  await give(office, id, 'offer');
}

const offerOf = async ({ admission }: Office, id: string) => (await admission.waitingList.find(id))?.offer;

async function announced(office: Office): Promise<string> {
  await paid(office);
  return EDITION;
}

async function rescheduled(office: Office, t: TestContext): Promise<string> {
  const { calendar } = edition.facts;
  calendar.revision += 1;
  t.after(() => {
    calendar.revision -= 1;
  });
  return announced(office);
}

const WRITTEN = { to: 'registered', subject: 'The kitchen', text: 'Please bring a cup.' };

async function written(office: Office): Promise<string> {
  await announced(office);
  await give(office, EDITION, 'write', WRITTEN);
  return EDITION;
}

const other = (command: string) => (office: Office) =>
  give(office, EDITION, command, { url: `${URL}/${Math.random()}` });
const oneMore = async ({ register, find }: Office) => find(await register({ email: BOB.email }));

async function welcome({ payments, now }: Office, id: string) {
  return (await findMail(payments, id, 'welcome', now())) ?? assert.fail();
}

/** A letter that failed. */
async function failed(office: Office): Promise<string> {
  const { mailQueue, redis } = office;
  const letter = await welcome(office, await paid(office));
  await mailQueue.add(letter);
  await failMail(redis, letter.id);
  return letter.id;
}

async function sent(office: Office): Promise<string> {
  const letter = await welcome(office, await paid(office));
  await recordSent(office.letterLog, letter, office.now());
  return letter.id;
}

async function sentAgain(office: Office, id: string): Promise<void> {
  const { letterLog, now } = office;
  const { subject } = (await letterLog.find([id])).get(id) ?? assert.fail();
  const letter = await welcome(office, subject);
  const again = await letterLog.oweAgain(letter, { name: '1', askedBy: 'Sol' }, now());
  await letterLog.markSent({ ...letter, id: again }, now());
}

const jobIs =
  (state: string) =>
  async ({ mailQueue }: Office, letter: string): Promise<boolean> =>
    (await mailQueue.bullQueue.getJobState(letter)) === state;

/** The commands about editions, whoever waits, and letters. */
export const otherRows: readonly CommandRow[] = [
  {
    command: 'register',
    arrange: onSale,
    typed: { ...BOB, ...HELD },
    meanwhile: ({ register }) => register({ email: BOB.email }),
    does: isListed,
  },
  { command: 'announce-schedule', arrange: rescheduled, meanwhile: oneMore, acts: ['scheduleTold'] },
  {
    command: 'announce-room',
    arrange: announced,
    typed: { url: URL },
    meanwhile: other('announce-room'),
    acts: ['room'],
  },
  {
    command: 'announce-recordings',
    arrange: announced,
    typed: { url: URL },
    meanwhile: other('announce-recordings'),
    acts: ['recordings'],
  },
  { command: 'write', arrange: announced, typed: WRITTEN, meanwhile: oneMore, acts: ['message'] },
  {
    command: 'stop-message',
    arrange: written,
    typed: { message: messageId(edition, WRITTEN.subject, WRITTEN.text) },
    async meanwhile(office) {
      await oneMore(office);
      await give(office, EDITION, 'write', WRITTEN);
    },
    acts: ['message-stopped'],
  },
  {
    command: 'offer',
    arrange: waits,
    does: async (office, id) => (await offerOf(office, id))?.by === 'Anna',
  },
  {
    command: 'withdraw',
    arrange: isOffered,
    meanwhile: offeredAnew,
    does: async (office, id) => (await offerOf(office, id)) === undefined,
  },
  {
    command: 'remove',
    arrange: waits,
    meanwhile: (office, id) => give(office, id, 'offer'),
    does: async ({ admission }, id) => (await admission.waitingList.find(id)) === undefined,
  },
  { command: 'retry', arrange: failed, does: jobIs('waiting') },
  {
    command: 'dismiss',
    arrange: failed,
    meanwhile: (office, id) => give(office, id, 'retry'),
    does: jobIs('unknown'),
  },
  {
    command: 'resend',
    arrange: sent,
    meanwhile: sentAgain,
    does: async ({ mailQueue }) => (await mailQueue.bullQueue.getJobs()).length === 1,
  },
];

async function onSale(): Promise<string> {
  return EDITION;
}

async function isListed({ payments }: Office): Promise<boolean> {
  const found = await findByAddress(payments, BOB.email);
  return found.filter(({ registrant }) => registrant.firstName === BOB.firstName).length === 1;
}
