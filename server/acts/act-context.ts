import type { WorkerConfig } from '#server/config/config.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/parts.ts';
import { createLinks } from '#server/registration/links.ts';
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
  return {
    ...parts,
    readingOf(mail) {
      const { subject, text, html } = composeMessage(mail, { office, siteUrl, links: standInLinks(siteUrl) });
      return { subject, text, html };
    },
    links: createLinks(linkSecrets, siteUrl),
    mailPerSecond: config.mail.perSecond,
  };
}

/** Placeholder links, for previews of letters. */
function standInLinks(siteUrl: string): MessageContext['links'] {
  return { url: () => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href };
}
