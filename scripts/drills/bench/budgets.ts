interface Budget {
  says: string;
  atMost?: number;
  atLeast?: number;
}

/**
 * All budgets. Those in bytes are of the first view as it travels: compressed by brotli, except fonts. Where a machine
 * would decide, a budget is a share of what bare Node, nodemailer or HTML without scripts take on the same machine.
 */
export const budgets = {
  html: { says: 'HTML with the styles of the first view, bytes', atMost: 20_000 },
  'inline-style': { says: 'styles of the first view, bytes', atMost: 12_000 },
  'later-style': { says: 'all other styles, bytes', atMost: 5_000 },
  fonts: { says: 'fonts of the first view, bytes', atMost: 70_000 },
  scripts: { says: 'scripts until the first step answers, bytes', atMost: 100_000 },
  page: { says: 'CPU time of bare Node for a view, as a share of the app’s', atLeast: 0.3 },
  start: { says: 'start of an app to the first registration answered, ms', atMost: 1_000 },
  registration: { says: 'a registration’s own time at p99, ms', atMost: 10 },
  'registration-cpu': { says: 'CPU time of the app for a registration, times bare Node’s', atMost: 5 },
  'letters-cpu': { says: 'CPU time of the worker for its two letters, times bare Node’s', atMost: 10 },
  'own-page': { says: 'own time of a registrant’s page at p99, ms', atMost: 10 },
  'app-memory': { says: 'the app under load, MiB', atMost: 150 },
  'worker-memory': { says: 'the worker under load, MiB', atMost: 150 },
  'office-list': { says: 'CPU time of the office’s list of 10,000, ms', atMost: 100 },
  'office-search': { says: 'CPU time of a search among them, ms', atMost: 100 },
  'office-csv': { says: 'CPU time of their spreadsheet, ms', atMost: 1_000 },
  mails: { says: 'the worker’s mails per second, as a share of nodemailer’s', atLeast: 0.8 },
  fcp: { says: 'FCP on the phone, times that without scripts', atMost: 1.1 },
  lcp: { says: 'LCP on the phone, times that without scripts', atMost: 1.1 },
  tbt: { says: 'total blocking time that its scripts add on the phone, ms', atMost: 100 },
  press: { says: 'a press on the package to the contact step, on the phone, ms', atMost: 300 },
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof budgets;

export type Figures<Name extends BudgetName = BudgetName> = Record<Name, number>;

/** Compares figures with their budgets; what could not be measured is over its budget. */
export function judge(figures: Partial<Figures>) {
  return Object.entries(figures).map(([budget, figure]) => {
    const { says, atMost, atLeast }: Budget = budgets[budget as BudgetName];
    const ok = atLeast === undefined ? figure <= (atMost ?? Number.NaN) : figure >= atLeast;
    const limit = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    return { budget, says, limit, measured: Number(figure.toFixed(2)), ok };
  });
}
