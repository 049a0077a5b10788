import type { Walls } from './judge-imports.ts';

/** What every part of the server may import. */
const SERVER_GROUND = [
  'server/capacity/**',
  'server/limits/**',
  'server/links/**',
  'server/redis/**',
  'server/service/**',
  'server/http/**',
  'server/config/**',
  'shared/**',
];
/** What a feature may import of mail: the jobs' contract and the queue. */
const MAIL_DOORS = [
  'server/mail/job.ts',
  'server/mail/job-facts.ts',
  'server/mail/queued-job.ts',
  'server/mail/queue.ts',
];

/** What every part of the page may import. */
const CLIENT_GROUND = [
  'client/consent/**',
  'client/loading/**',
  'client/ui/**',
  'client/store/**',
  'shared/**',
];

/** The one file through which the sandbox is imported. */
const SANDBOX = 'scripts/stripe-sandbox/sandbox.ts';

/**
 * Which files may import which; this is the only place that defines it. Imports of types count like all
 * others, and every spelling of a specifier counts. The files of one room may import each other, without
 * cycles. Tests may import anything.
 */
export const walls: Walls = {
  rooms: [
    // The scripts and tests that start and exercise the product.
    {
      of: 'scripts/*',
      may: ['scripts/**'],
      says: 'scripts/bootstrap starts the other scripts.',
    },
    {
      of: 'scripts/drills/**',
      may: [
        'client/e2e/run/browser.ts',
        'client/e2e/run/project-copy.ts',
        'client/entry.server.tsx',
        'client/registration/payment/http-client.ts',
        'client/registration/payment/post-until-answered.ts',
        'server/**',
        'shared/**',
        'scripts/build/**',
        'scripts/content/testing/**',
        'scripts/start/**',
        'scripts/product/**',
        SANDBOX,
      ],
      says: 'A drill imports what it starts and measures, and no other script.',
    },
    {
      of: 'scripts/social-card/**',
      may: ['client/e2e/run/browser.ts', 'client/ui/**', 'scripts/content/**', 'scripts/product/**'],
      says: 'The social card is drawn from an edition and client/ui, in the browser of the journeys.',
    },
    {
      of: 'client/e2e/**',
      may: [
        'server/testing/**',
        'shared/**',
        'scripts/test/cpu-time.ts',
        'scripts/test/file-result.ts',
        'scripts/test/guard.mjs',
        'scripts/product/**',
        SANDBOX,
      ],
      says: 'The browser journeys see the product from outside: they import what starts it, shared, and what guards and measures tests.',
    },
    {
      of: 'scripts/test/**',
      may: ['scripts/build/**', 'scripts/content/**', 'scripts/product/**'],
      says: 'The test runner imports build, content and product; never what it tests.',
    },
    {
      of: 'server/testing/**',
      may: ['server/**', 'shared/**', 'scripts/build/**', 'scripts/product/**', SANDBOX],
      says: 'server/testing starts parts of the product, for tests and drills.',
    },
    {
      of: 'scripts/start/**',
      may: [
        'server/support/main.ts',
        'server/mail-events/standard-webhooks.ts',
        'server/config/redis-problems.ts',
        'scripts/build/**',
        'scripts/content/problems.ts',
        'scripts/product/**',
        'shared/content/**',
        SANDBOX,
      ],
      says: 'start runs the product and its stand-ins from outside: it imports content, and of server only support, how a mail provider signs, and what says where Redis is.',
    },
    {
      of: 'scripts/mails-preview/**',
      may: ['server/mail/**', 'server/links/**', 'server/http/listen.ts', 'shared/**'],
      says: 'The preview of the letters imports server/mail, links and http/listen.',
    },
    {
      of: 'scripts/browsers/**',
      may: ['scripts/build/**', 'scripts/imports/read-imports.ts', 'shared/head/head-script.ts'],
      says: 'The check of features reads style sheets as the build makes them, sources, and the script in the head of the page.',
    },
    {
      of: 'scripts/build/**',
      may: ['scripts/content/**', 'client/ui/**', 'server/http/**', 'shared/**', 'package.json'],
      says: 'The build compiles the content, draws with client/ui, compresses as server/http serves and reads the browsers in package.json; the rest it reads as files.',
    },
    {
      of: 'scripts/content/**',
      may: ['shared/**'],
      says: 'The content is compiled by the types and words of shared alone.',
    },
    {
      of: 'scripts/product/**',
      may: [SANDBOX, 'server/config/variables.ts', 'server/config/users.ts'],
      says: 'product is what other scripts start the product with: it imports none of them, but the sandbox, and what variables look like.',
    },
    {
      of: 'scripts/stripe-sandbox/**',
      may: [],
      says: 'The sandbox stands in for Stripe: it imports nothing of who calls it.',
    },
    {
      of: 'scripts/imports/**',
      may: [],
      says: 'The check of imports imports nothing that it checks.',
    },

    // The server, from its entries down to its ground.
    {
      of: 'server/start-*.ts',
      may: [
        'server/*',
        'server/ops/**',
        'server/office/**',
        'server/users/**',
        'server/page/**',
        'server/registration/**',
        'server/payments/**',
        'server/mail/**',
        'server/place/**',
        'server/register/**',
        ...SERVER_GROUND,
      ],
      says: 'An entry imports create-app, the features, and the whole of mail and register.',
    },
    {
      of: 'server/*',
      may: [
        'server/ops/**',
        'server/mail-events/**',
        'server/vitals/**',
        'server/page/**',
        'server/registration/**',
        'server/payments/**',
        'server/place/**',
        'server/register/waiting-model.ts',
        'server/waiting/**',
        ...MAIL_DOORS,
        'server/calendar/**',
        ...SERVER_GROUND,
      ],
      says: 'create-app puts the features together; of mail it imports only mail/job and mail/queue.',
    },
    {
      of: 'server/support/**',
      may: [
        'server/acts/**',
        'server/users/**',
        'server/payments/**',
        'server/register/**',
        'server/mail/**',
        ...SERVER_GROUND,
      ],
      says: 'support is a program of its own: it imports acts, users, payments, register, mail and the ground.',
    },
    {
      of: 'server/office/**',
      may: [
        'server/acts/**',
        'server/users/**',
        'server/ops/**',
        'server/page/assets.ts',
        'server/payments/**',
        'server/register/**',
        'server/mail/**',
        ...SERVER_GROUND,
      ],
      says: 'office shows registrations and lets people act on them: it imports acts, users, ops, payments, register, mail, the assets and the ground.',
    },
    {
      of: 'server/acts/**',
      may: ['server/payments/**', 'server/register/**', 'server/mail/**', ...SERVER_GROUND],
      says: 'acts are what people do with a registration, by command or on a page: they import payments, register, mail and the ground.',
    },
    {
      of: 'server/ops/**',
      may: [
        'server/mail-events/**',
        'server/users/**',
        'server/page/**',
        'server/registration/**',
        'server/payments/**',
        ...MAIL_DOORS,
        ...SERVER_GROUND,
      ],
      says: 'ops watches the features; of mail it imports only mail/job and mail/queue.',
    },
    {
      of: 'server/mail-events/**',
      may: ['server/payments/**', 'server/mail/message-id.ts', ...MAIL_DOORS, ...SERVER_GROUND],
      says: 'mail-events records what mail providers tell: it imports payments, and of mail only mail/job, mail/queue and mail/message-id.',
    },
    {
      of: 'server/vitals/**',
      may: SERVER_GROUND,
      says: 'vitals imports no other feature.',
    },
    {
      of: 'server/place/**',
      may: [
        'client/entry.server.tsx',
        'server/page/assets.ts',
        'server/payments/**',
        'server/register/walk.ts',
        'server/calendar/**',
        ...MAIL_DOORS,
        ...SERVER_GROUND,
      ],
      says: 'place renders the page of one registration through client/entry.server.tsx; it imports payments, the calendar, the assets and what asks for a walk, and of mail only mail/job and mail/queue.',
    },
    {
      of: 'server/waiting/**',
      may: [
        'client/entry.server.tsx',
        'server/page/assets.ts',
        'server/registration/**',
        'server/register/waiting-model.ts',
        'server/payments/**',
        ...MAIL_DOORS,
        ...SERVER_GROUND,
      ],
      says: 'waiting renders its pages through client/entry.server.tsx; it imports registration, payments, what shows who waits, the assets, and of mail only mail/job and mail/queue.',
    },
    {
      of: 'server/page/**',
      may: ['client/entry.server.tsx', ...SERVER_GROUND],
      says: 'page imports no other feature, and of client the one bridge, client/entry.server.tsx.',
    },
    {
      of: 'server/registration/**',
      may: ['server/payments/**', ...MAIL_DOORS, ...SERVER_GROUND],
      says: 'registration imports payments, and of mail only mail/job and mail/queue.',
    },
    {
      of: 'server/register/**',
      may: ['server/payments/**', 'server/mail/queue-errors.ts', ...MAIL_DOORS, ...SERVER_GROUND],
      says: 'register imports payments, and of mail only mail/job, mail/queue and mail/queue-errors.',
    },
    {
      of: 'server/payments/**',
      may: [...MAIL_DOORS, ...SERVER_GROUND],
      says: 'payments imports no other feature, and of mail only mail/job and mail/queue.',
    },
    {
      of: 'server/mail/**',
      may: ['server/calendar/**', ...SERVER_GROUND],
      says: 'mail imports the calendar that it attaches, and no feature that owes a letter.',
    },
    {
      of: 'server/calendar/**',
      may: SERVER_GROUND,
      says: 'calendar imports no other feature.',
    },
    {
      of: 'server/users/**',
      may: SERVER_GROUND,
      says: 'users knows who signs in and what they may do, and no feature.',
    },
    {
      of: 'server/limits/**',
      may: ['server/redis/**', 'server/service/**', 'server/http/**', 'server/config/**', 'shared/**'],
      says: 'limits counts for any feature, and imports none.',
    },
    {
      of: 'server/capacity/**',
      may: ['server/redis/**', 'server/service/**', 'shared/**'],
      says: 'capacity counts the places of a retreat for any feature, and imports none.',
    },
    {
      of: 'server/links/**',
      may: ['shared/**'],
      says: 'links makes and reads the links to her page and the office’s, and imports only shared.',
    },
    {
      of: 'server/redis/**',
      may: ['server/service/**', 'server/config/**'],
      says: 'redis connects to Redis however it is run, and knows nothing of what is kept there.',
    },
    {
      of: 'server/service/**',
      may: ['server/http/**', 'server/config/**', 'shared/**', 'package.json'],
      says: 'service runs a process: it imports http, config and the version, and no feature.',
    },
    {
      of: 'server/http/**',
      may: ['server/config/**', 'shared/**'],
      says: 'http imports config, and no feature.',
    },
    {
      of: 'server/config/**',
      may: ['shared/**'],
      says: 'config is the ground of server: it imports only shared.',
    },

    // The browser's side, from the page down to its store.
    {
      of: 'client/*',
      may: [
        'client/sections/**',
        'client/islands/**',
        'client/registration/**',
        'client/place/**',
        ...CLIENT_GROUND,
      ],
      says: 'The entries and the page put sections and islands together.',
    },
    {
      of: 'client/place/**',
      may: [
        'client/registration/payment/load-stripe.ts',
        'client/registration/payment/http-client.ts',
        'client/registration/payment/card-style.ts',
        'client/ui/**',
        'shared/**',
      ],
      says: 'place is a page of its own without a store: of registration it imports only what loads Stripe, posts and reads the style.',
    },
    {
      of: 'client/sections/**',
      apart: true,
      may: ['client/islands/**', ...CLIENT_GROUND],
      packages: ['react', 'react-redux'],
      says: 'A section imports islands, consent, ui, store and shared, and never another section.',
    },
    {
      of: 'client/islands/**',
      may: ['client/registration/**', 'client/tracking/**', ...CLIENT_GROUND],
      says: 'islands lists what the browser takes over, registration among it, and starts it.',
    },
    {
      of: 'client/registration/**',
      may: CLIENT_GROUND,
      says: 'registration knows nothing of the page around it.',
    },
    {
      of: 'client/tracking/**',
      may: CLIENT_GROUND,
      says: 'tracking follows the store: it imports no part of the page that it follows.',
    },
    {
      of: 'client/consent/**',
      may: ['client/loading/**', 'client/ui/**', 'client/store/**', 'shared/**'],
      says: 'consent imports loading, ui, store and shared.',
    },
    {
      of: 'client/loading/**',
      may: ['client/ui/**', 'client/store/**', 'shared/**'],
      says: 'loading brings parts of the page, and imports none of them.',
    },
    {
      of: 'client/ui/**',
      may: ['client/store/**', 'shared/**'],
      says: 'ui imports store and shared.',
    },
    {
      of: 'client/store/**',
      may: ['shared/**'],
      says: 'The store is the ground of client: it imports only shared.',
    },

    // The contracts of both sides.
    {
      of: 'shared/head/**',
      may: ['shared/content/**', 'shared/*'],
      packages: [],
      says: 'The scripts in the head of the page import the contracts and content of shared.',
    },
    {
      of: 'shared/content/**',
      may: ['shared/*'],
      packages: [],
      says: 'content imports itself and the files at the root of shared.',
    },
    {
      of: 'shared/*',
      may: [],
      packages: ['valibot'],
      says: 'The root of shared imports only itself and valibot.',
    },
  ],
  keptPackages: [
    {
      package: 'stripe',
      only: [
        'server/payments/**',
        'server/testing/**',
        'scripts/stripe-sandbox/**',
        'scripts/drills/**',
        'client/e2e/**',
      ],
      says: 'Of the product only server/payments imports the Stripe SDK.',
    },
    {
      package: 'jsdom',
      only: ['scripts/build/**', 'scripts/content/**', 'server/testing/**'],
      says: 'jsdom is for build and tests: its types would bring `document` into all of server.',
    },
    {
      package: 'node:*',
      only: ['server/**', 'scripts/**', 'client/e2e/**'],
      says: 'client and shared run in the browser, where there is no Node.',
    },
  ],
};
