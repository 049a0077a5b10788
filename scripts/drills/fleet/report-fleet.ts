import { type Row, table, verdict } from '#scripts/drills/chaos/report.ts';
import type { Timed } from './crowd.ts';
import type { FleetEvent } from './events.ts';
import type { FleetResult } from './run-fleet.ts';

/** An answer that takes at least this long may be the answer to a retry of the page. */
const RETRY_MS = 1_000;

/** The tables of a run, and its verdict. */
export function reportOfFleet(result: FleetResult): string {
  return [table(countRows(result)), table(eventRows(result)), verdict(result.problems)].join('\n');
}

function countRows({ visits, pages, mails, consents, walks, webhooks, ...result }: FleetResult): Row[] {
  const walkers = new Set(walks.map(({ worker }) => worker));
  return [
    ['Pages', pages.length],
    ['Registrations', visits.length],
    ['  of these paid', visits.filter(({ paid }) => paid).length],
    ['  answered after a second', visits.filter(isSlow).length],
    ['Refused by the limit of an address', result.refused],
    ['Consents expected', consents.expected],
    ['  recorded', consents.recorded],
    ['Letters expected', mails.expected],
    ['  received', mails.received],
    ['  lost', mails.lost],
    ['  repeated under one Message-ID', mails.repeated],
    ['Events of Stripe', webhooks.events],
    ['  sent again', webhooks.attempts - webhooks.events],
    ['Walks', walks.length],
    ['  by so many workers', walkers.size],
    ['Pages of the office in one session', result.officePages],
  ];
}

function eventRows({ events, pages, visits }: FleetResult): Row[] {
  const first = events[0]?.fromMs ?? 0;
  const calm = { what: 'Before', fromMs: 0, untilMs: first };
  const rows = [calm, ...events].map((event): Row => {
    const [seen, begun] = [pages, visits].map((timed: readonly Timed[]) => during(event, timed));
    const seconds = event === calm ? '–' : ((event.untilMs - event.fromMs) / 1000).toFixed(1);
    return [event.what, seconds, ...figures(seen), ...figures(begun)];
  });
  return [['', 'seconds', 'pages', 'p99 ms', 'slowest', 'regs', 'p99 ms', 'slowest'], ...rows];
}

function during({ fromMs, untilMs }: FleetEvent, timed: readonly Timed[]): number[] {
  const within = timed.filter(({ atMs }) => fromMs <= atMs && atMs < untilMs);
  return within.map(({ latencyMs }) => latencyMs).toSorted((one, another) => one - another);
}

function figures(sorted: readonly number[] = []): number[] {
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return [sorted.length, at(0.99), at(1)];
}

function isSlow({ latencyMs }: Timed): boolean {
  return latencyMs >= RETRY_MS;
}
