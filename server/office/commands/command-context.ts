import type { WorkerConfig } from '#server/config/config.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { createLinks } from '#server/registration/registration.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import type { CommandContext } from './command.ts';

interface Parts extends Omit<CommandContext, 'readingOf' | 'links' | 'mailPerSecond'> {
  config: Pick<WorkerConfig, 'linkSecrets' | 'publicUrl' | 'office'> & {
    mail: Pick<WorkerConfig['mail'], 'perSecond'>;
  };
}

/** The context of commands, with a process's own connections. */
export function createCommandContext({ config, ...parts }: Parts): CommandContext {
  const { linkSecrets, publicUrl: siteUrl, office } = config;
  const links = { url: () => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href };
  return {
    ...parts,
    readingOf(mail) {
      const { subject, text, html } = composeMessage(mail, { office, siteUrl, links });
      return { subject, text, html };
    },
    links: createLinks(linkSecrets, siteUrl),
    mailPerSecond: config.mail.perSecond,
  };
}
