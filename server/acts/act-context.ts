import type { WorkerConfig } from '#server/config/config.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { createOwnPageLinks, createWaitingLinks } from '#server/registration/links.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import type { ActContext } from './act.ts';

type Shared = 'queue' | 'redis' | 'askForDueWork' | 'payments' | 'letterLog' | 'admission' | 'now';

interface Parts extends Pick<ActContext, Shared> {
  config: Pick<WorkerConfig, 'linkSecrets' | 'publicUrl' | 'office'> & {
    mail: Pick<WorkerConfig['mail'], 'perSecond'>;
  };
}

/** The context of acts, with a process's own connections. */
export function createActContext(parts: Parts): ActContext {
  const { config } = parts;
  const { linkSecrets, publicUrl: siteUrl, office } = config;
  const waitingLinks = createWaitingLinks(linkSecrets, siteUrl);
  return {
    ...parts,
    readingOf(mail) {
      const links = standInLinks(siteUrl);
      const { subject, text, html } = composeMessage(mail, { office, siteUrl, links, waitingLinks });
      return { subject, text, html };
    },
    links: createOwnPageLinks(linkSecrets, siteUrl),
    mailPerSecond: config.mail.perSecond,
  };
}

/** Placeholder links, for previews of letters. */
function standInLinks(siteUrl: string): MessageContext['links'] {
  const url = (): string => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href;
  return { url, confirmUrl: url, endUrl: url, takeUrl: url };
}
