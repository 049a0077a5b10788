import type { WorkerConfig } from '#server/config/config.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { createOwnPageLinks, createWaitingLinks } from '#server/links/links.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationList } from '#server/register/registration-list.ts';
import type { Admission } from '#server/register/waiting-list.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import type { ActContext } from './act.ts';

interface Parts extends Pick<ActContext, 'queue' | 'redis' | 'askForDueWork'> {
  config: Pick<WorkerConfig, 'linkSecrets' | 'publicUrl' | 'office'> & {
    mail: Pick<WorkerConfig['mail'], 'perSecond'>;
  };
  payments: Payments;
  letterLog: LetterLog;
  admission: Admission;
  registrationList: RegistrationList;
  now: () => Date;
}

/** The context of acts, with a process's own connections. */
export function createActContext(parts: Parts): ActContext {
  const { config, payments, letterLog, admission, registrationList, now } = parts;
  const { queue, redis, askForDueWork } = parts;
  const { linkSecrets, publicUrl: siteUrl, office } = config;
  const waitingLinks = createWaitingLinks(linkSecrets, siteUrl);
  return {
    queue,
    redis,
    askForDueWork,
    readingOf(mail) {
      const links = standInLinks(siteUrl);
      const { subject, text, html } = composeMessage(mail, { office, siteUrl, links, waitingLinks });
      return { subject, text, html };
    },
    list: registrationList.list,
    openPayments: async () => payments,
    openLetterLog: async () => letterLog,
    openAdmission: async () => admission,
    openLinks: async () => createOwnPageLinks(linkSecrets, siteUrl),
    now: async () => now(),
    mailPerSecond: config.mail.perSecond,
  };
}

/** Placeholder links, for previews of letters. */
function standInLinks(siteUrl: string): MessageContext['links'] {
  const url = (): string => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href;
  return { url, confirmUrl: url, endUrl: url, takeUrl: url };
}
