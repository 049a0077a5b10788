import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '#server/config/version.ts';
import { declineReasons } from '#shared/own-page.ts';

type Labels = Readonly<Record<string, readonly string[]>>;
type Rows = Readonly<Record<string, { help: string; labels?: Labels }>>;

const LETTER_LIMITS = ['letters-by-address', 'letters-by-email', 'letters-overall'] as const;

/** Every counter, with the values of its labels. */
const COUNTERS = {
  deposits_total: {
    help: 'Deposits begun, paid, held back (paid with another amount than expected), declined (each attempt) and closed after too many; what Stripe reports twice counts twice',
    labels: { event: ['begun', 'paid', 'held', 'declined', 'closed'] },
  },
  registrations_refused_total: {
    help: 'Registrations, and joins of the waiting list, that were refused because there were too many, by limit',
    labels: {
      limit: [
        'registration-requests',
        'registrations-by-address',
        'registrations-overall',
        'registration-edits',
        'registration-consents',
        ...LETTER_LIMITS,
      ],
    },
  },
  registrations_counted_in_memory_total: {
    help: 'Registrations that this process counted by itself, because Redis could not',
  },
  letters_waiting_total: {
    help: 'Registrations whose letters wait until they are paid because there were too many, by limit',
    labels: { limit: LETTER_LIMITS },
  },
  mails_owed_total: {
    help: 'Mails that could not be queued when they fell due; the worker queues them within minutes',
  },
  mail_sent_total: { help: 'Mails sent', labels: { kind: [] } },
  mail_attempts_failed_total: {
    help: 'Attempts to send a mail that failed; final ones wait for a person',
    labels: { kind: [], final: ['true', 'false'] },
  },
  mail_dropped_total: {
    help: 'Mails that were not sent because they no longer applied, or had been sent already',
    labels: { kind: [] },
  },
  mail_bounced_total: {
    help: 'Letters that came back or were marked as spam, those to the office, and those of nobody who is known; what a provider tells twice of a registrant counts once',
    labels: { type: ['bounce', 'office', 'unknown'] },
  },
  mail_events_refused_total: {
    help: 'Requests of a mail provider that were not signed as they should be, or whose event cannot be read',
  },
  balances_charged_total: { help: 'Balances that were charged to the card on file' },
  balances_declined_total: {
    help: 'Tries to charge a balance that were declined, by reason',
    labels: { reason: declineReasons },
  },
  refunds_total: {
    help: 'Refunds by outcome: made by the worker, refused by Stripe at each try, failed at the bank later',
    labels: { outcome: ['made', 'refused', 'failed'] },
  },
  disputes_total: {
    help: 'Disputes of charges that Stripe told of, by event; what it tells twice counts twice',
    labels: { event: ['opened', 'won', 'lost', 'closed'] },
  },
  stripe_unreachable_total: { help: 'How often Stripe did not answer, after all tries' },
  page_cache_requests_total: {
    help: 'Requests for the page: hit came from memory, miss was rendered, shared waited for the render of another request',
    labels: { result: ['hit', 'miss', 'shared'] },
  },
  office_sign_ins_total: {
    help: 'Tries to sign in to the office’s pages, by what came of them',
    labels: { outcome: ['signed-in', 'wrong', 'wrong-code', 'throttled'] },
  },
} as const satisfies Rows;

/** Every duration that is measured, in seconds; its labels have values that only the requests know. */
const DURATIONS = {
  http_request_duration_seconds: {
    help: 'Time to answer, by route and status',
    labels: ['route', 'status'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  page_render_duration_seconds: {
    help: 'Time to render the page, by outcome; an incomplete page was sent without a part that failed',
    labels: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  stripe_call_duration_seconds: {
    help: 'Time that Stripe takes to answer, by operation and status',
    labels: ['operation', 'status'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
} as const;

type CounterName = keyof typeof COUNTERS;
type LabelsOf<Row> = Row extends { labels: infer Of extends Labels }
  ? Readonly<Record<keyof Of, string>>
  : undefined;
type Count = Readonly<Record<string, string | number> & { count: number }>;

/** The metrics of a process: its own (memory, CPU, event loop) and the product's. */
export class Metrics extends Registry {
  readonly #counters = new Map<string, Counter>();
  readonly #durations = new Map<string, Histogram>();

  /** @param service the process; tests may leave it out, and with it the process's own metrics */
  constructor(service?: 'app' | 'worker') {
    super();
    if (service) {
      this.setDefaultLabels({ service });
      collectDefaultMetrics({ register: this });
      const help = 'The version of this release, with the value 1';
      this.readCounts('build_info', help, ['version'], async () => [{ version, count: 1 }]);
    }
    const registers = [this];
    const rows: Rows = COUNTERS;
    for (const [name, { help, labels = {} }] of Object.entries(rows)) {
      const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
      this.#counters.set(name, counter);
      // If a series appeared with the value 1, Prometheus would see no increase.
      for (const series of combinationsOf(labels)) counter.inc(series, 0);
    }
    for (const [name, { help, labels, buckets }] of Object.entries(DURATIONS)) {
      const shape = { name, help, labelNames: [...labels], buckets: [...buckets], registers };
      this.#durations.set(name, new Histogram<string>(shape));
    }
  }

  count<Name extends CounterName>(
    name: Name,
    ...[labels, by = 1]: undefined extends LabelsOf<(typeof COUNTERS)[Name]>
      ? [labels?: undefined, by?: number]
      : [labels: LabelsOf<(typeof COUNTERS)[Name]>, by?: number]
  ): void {
    this.#counters.get(name)?.inc({ ...labels }, by);
  }

  time(
    name: keyof typeof DURATIONS,
    labels: Readonly<Record<string, string | number>>,
    seconds: number,
  ): void {
    this.#durations.get(name)?.observe(labels, seconds);
  }

  /** A value that is read at each scrape, or, without `read`, set by the process. Asked for again, it is the same gauge. */
  gauge(name: string, help: string, read?: () => Promise<number>): Gauge {
    const made = this.getSingleMetric(name);
    if (made instanceof Gauge) return made;
    if (!read) return new Gauge({ name, help, registers: [this] });
    return new Gauge({
      name,
      help,
      registers: [this],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Counts that are read at each scrape; there are none while they cannot be read. */
  readCounts(
    name: string,
    help: string,
    labelNames: string[],
    read: () => Promise<readonly Count[] | undefined>,
  ): void {
    new Gauge<string>({
      name,
      help,
      labelNames,
      registers: [this],
      async collect() {
        const counts = await read();
        this.reset();
        for (const { count, ...labels } of counts ?? []) this.set(labels, count);
      },
    });
  }
}

/** `{ kind: ['a'], final: ['true', 'false'] }` has two. */
function combinationsOf(labels: Labels): Record<string, string>[] {
  const start: Record<string, string>[] = [{}];
  return Object.entries(labels).reduce(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    start,
  );
}
