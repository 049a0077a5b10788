import type { Walls } from './check-imports.ts';

const SERVER_GROUND = `server/database/** server/limits/** server/links/** server/redis/** server/service/**
  server/http/** server/config/** shared/**`;
/** What a feature may import of mail: the jobs' contract and the queue. */
const MAIL_DOORS =
  'server/mail/job.ts server/mail/job-facts.ts server/mail/queue.ts server/mail/letter-log.ts';
const CLIENT_GROUND = 'client/consent/** client/loading/** client/ui/** client/store/** shared/**';
/** The one file through which the sandbox is imported. */
const SANDBOX = 'scripts/stripe-sandbox/sandbox.ts';

/** Which files may import which; this is the only place that defines it. */
export const walls: Walls = {
  rooms: {
    // The scripts and tests that start and exercise the product.
    'scripts/*': 'scripts/**',
    'scripts/drills/**': `client/e2e/run/browser.ts client/e2e/run/project-copy.ts
      client/registration/payment/http-client.ts server/** shared/** scripts/build/** scripts/content/testing/**
      scripts/product/** scripts/world/** ${SANDBOX}`,
    'scripts/social-card/**': 'client/e2e/run/browser.ts client/ui/** scripts/content/** scripts/product/**',
    // The journeys see the product from outside: they import what starts it, and what guards and reports tests.
    'client/e2e/**': `server/testing/** shared/** scripts/test/test-files.ts scripts/test/guard.mjs
      scripts/product/** ${SANDBOX}`,
    'scripts/test/**': 'scripts/build/** scripts/content/** scripts/product/**',
    'server/testing/**': `server/** shared/** scripts/build/** scripts/product/**
      scripts/world/** ${SANDBOX}`,
    // Of the server only its tools: support, and what says where Redis is.
    'scripts/start/**': `server/support/main.ts server/config/redis-settings.ts scripts/build/**
      scripts/content/problems.ts scripts/product/** shared/content/** ${SANDBOX}`,
    'scripts/mails-preview/**':
      'server/letters/** server/mail/** scripts/product/ports.ts scripts/world/letters.ts shared/**',
    'scripts/browsers/**': 'scripts/build/** scripts/imports/check-imports.ts shared/head/head-script.ts',
    // The build reads what it bundles as files.
    'scripts/build/**': 'scripts/content/** server/http/** shared/** package.json',
    'scripts/content/**': 'shared/**',
    'scripts/product/**': `${SANDBOX} server/config/variables.ts server/config/users.ts
      server/mail-events/mail-events.ts`,
    // The sandbox stands in for Stripe, so it knows nothing of who calls it.
    'scripts/stripe-sandbox/**': '',
    'scripts/imports/**': '',

    // Who registers, what befalls them and what is written to them; it starts nothing.
    'scripts/world/**': `server/mail/job.ts server/mail/job-facts.ts server/letters/** server/links/**
      server/record/registration-state.ts shared/**`,

    // The server, from its entries down to its ground.
    'server/start-*.ts': `server/* server/ops/** server/office/** server/users/** server/page/**
      server/registration/** server/payments/** server/record/** server/letters/** server/mail/** server/own-page/**
      server/register/**
      ${SERVER_GROUND}`,
    'server/*': `server/ops/** server/mail-events/** server/vitals/** server/page/** server/registration/**
      server/payments/** server/record/** server/own-page/** server/register/** server/waiting/** ${MAIL_DOORS}
      server/calendar/** ${SERVER_GROUND}`,
    // Two programs for people, and the actions that both offer.
    'server/support/**': `server/acts/** server/users/** server/payments/** server/record/** server/register/**
      server/letters/**
      server/mail/** ${SERVER_GROUND}`,
    'server/office/**': `server/acts/** server/users/** server/ops/** server/page/assets.ts server/payments/**
      server/record/**
      server/register/** server/letters/** server/mail/** ${SERVER_GROUND}`,
    'server/acts/**': `server/payments/** server/record/** server/register/** server/letters/** server/mail/**
      ${SERVER_GROUND}`,
    'server/ops/**': `server/mail-events/** server/users/** server/page/** server/registration/**
      server/register/register-counts.ts server/payments/** server/record/** ${MAIL_DOORS} ${SERVER_GROUND}`,
    'server/mail-events/**': `server/payments/** server/record/** server/register/waiting-list.ts
      ${MAIL_DOORS} ${SERVER_GROUND}`,
    'server/vitals/**': SERVER_GROUND,
    // Pages of one registration, of the waiting list, and of the retreat: client/entry.server.tsx renders them.
    'server/own-page/**': `client/entry.server.tsx server/page/assets.ts server/payments/** server/record/**
      server/letters/**
      server/calendar/** ${MAIL_DOORS} ${SERVER_GROUND}`,
    'server/waiting/**': `client/entry.server.tsx server/page/assets.ts server/registration/**
      server/register/** server/payments/** server/record/** ${MAIL_DOORS} ${SERVER_GROUND}`,
    'server/page/**': `client/entry.server.tsx ${SERVER_GROUND}`,
    'server/registration/**': `server/payments/** server/record/** server/register/places.ts
      server/register/waiting-list.ts ${MAIL_DOORS} ${SERVER_GROUND}`,
    'server/register/**': `server/payments/** server/letters/** server/record/**
      ${MAIL_DOORS}
      ${SERVER_GROUND}`,
    'server/payments/**': `server/letters/** server/record/** ${MAIL_DOORS} ${SERVER_GROUND}`,
    // Each letter whole; what is due it reads from the record alone.
    'server/letters/**': `server/record/** server/mail/send-mail.ts server/calendar/** ${MAIL_DOORS} ${SERVER_GROUND}`,
    // What is on record, and what follows from it and from the time: it asks nobody.
    'server/record/**': `${MAIL_DOORS} ${SERVER_GROUND}`,
    // Queues and sends whatever letters there are.
    'server/mail/**': SERVER_GROUND,
    'server/calendar/**': SERVER_GROUND,
    'server/users/**': SERVER_GROUND,
    'server/limits/**': 'server/redis/** server/service/** server/http/** server/config/** shared/**',
    'server/links/**': 'shared/**',
    // Connects to Redis however it is run, and knows nothing of what is kept there.
    'server/redis/**': 'server/service/** server/config/**',
    // Knows nothing of what the rows mean.
    'server/database/**': 'server/service/** server/http/** shared/**',
    'server/service/**': 'server/http/** server/config/** shared/** package.json',
    'server/http/**': 'server/config/** shared/**',
    'server/config/**': 'shared/**',

    // The browser's side, from the page down to its store.
    'client/*': `client/sections/** client/islands/** client/registration/** client/own-page/** ${CLIENT_GROUND}`,
    // A page of its own, without a store.
    'client/own-page/**': `client/registration/payment/stripe.ts client/registration/payment/http-client.ts
      client/ui/** shared/**`,
    'client/sections/**': `client/islands/** ${CLIENT_GROUND}`,
    'client/islands/**': `client/registration/** client/tracking/** ${CLIENT_GROUND}`,
    'client/registration/**': CLIENT_GROUND,
    'client/tracking/**': CLIENT_GROUND,
    'client/consent/**': 'client/loading/** client/ui/** client/store/** shared/**',
    'client/loading/**': 'client/ui/** client/store/** shared/**',
    'client/ui/**': 'client/store/** shared/**',
    'client/store/**': 'shared/**',

    // The contracts of both sides.
    'shared/head/**': 'shared/content/** shared/*',
    'shared/content/**': 'shared/*',
    'shared/*': '',
  },
  apart: ['client/sections/**'],
  roomPackages: {
    'client/sections/**': 'react react-redux',
    'shared/head/**': '',
    'shared/content/**': '',
    'shared/*': 'valibot',
  },
  keptPackages: {
    // server/record needs its types only.
    stripe:
      'server/payments/** server/record/** server/testing/** scripts/stripe-sandbox/** scripts/drills/** client/e2e/**',
    // Its types would bring `document` into all of server.
    jsdom: 'scripts/build/** scripts/content/** server/testing/**',
    // client and shared run in the browser.
    'node:*': 'server/** scripts/** client/e2e/**',
  },
};
