import type { SystemProgram } from './system-package.ts';

export const redisProgram: SystemProgram = {
  name: 'Redis',
  commands: [
    'redis-server',
    'valkey-server',
    '/opt/homebrew/bin/redis-server',
    '/usr/local/bin/redis-server',
  ],
  aptPackage: 'redis-server',
  brewFormula: 'redis',
};

export const chromiumProgram: SystemProgram = {
  name: 'Chromium',
  commands: [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  aptPackage: 'chromium',
  brewFormula: 'chromium',
};
