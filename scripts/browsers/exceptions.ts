/**
 * Features that some supported browsers lack: what happens without them. A name of the compatibility data stands for its
 * parts too.
 */
export const FALLBACKS: Readonly<Record<string, string>> = {
  'html.global_attributes.popover': 'client/entry.client.ts opens and closes what is a popover elsewhere.',
  'html.elements.button.popovertarget': 'The same.',
  'html.elements.button.popovertargetaction': 'The same.',
  'api.HTMLElement.togglePopover': 'Only called where it exists.',

  'css.at-rules.font-face.size-adjust': 'The fallback fonts are a little wider or narrower than the page’s.',
  'css.at-rules.font-face.ascent-override': 'They stand a pixel higher or lower on the line.',
  'css.at-rules.font-face.descent-override': 'The same.',
  'css.at-rules.font-face.line-gap-override': 'The same.',
  'css.at-rules.media.scripting': 'Without scripts, what needs them is shown beside the words for that case.',
  'css.at-rules.page': 'Pages are printed with the browser’s own margins.',
  'css.properties.break-after': 'A heading may be printed at the end of a page.',
  'css.properties.break-before': 'A signature may be printed on a page of its own.',
  'css.properties.orphans': 'A single line of a paragraph may be printed at the end of a page.',
  'css.properties.widows': 'Or at the beginning of one.',
  'css.properties.contain-intrinsic-block-size': 'Used only together with content-visibility.',
  'css.properties.content-visibility': 'All is laid out at once, which takes longer.',
  'css.properties.cursor': 'A touch screen shows no pointer.',
  'css.properties.forced-color-adjust': 'Safari has no forced colors.',
  'css.properties.interpolate-size': 'Answers open at once instead of growing.',
  'css.selectors.details-content': 'The same.',
  'css.properties.text-size-adjust': 'Safari on phones has it with its prefix, and other phones as viewport.',
  'css.properties.text-wrap': 'Lines break where they are full.',
  'css.selectors.selection': 'Selected text has the browser’s own colors.',

  'api.Navigator.doNotTrack': 'Such a browser has no privacy signal of this kind: she is asked.',
  'api.Navigator.globalPrivacyControl': 'The same.',
  'api.UserActivation': 'A restored step is scrolled to, as if she had chosen it.',
  'api.Navigator.userActivation': 'The same.',
  'api.Window.requestIdleCallback': 'client/loading/when-idle.ts waits for the load and a moment more.',
  'html.global_attributes.autocapitalize': 'A keyboard of a desktop has no automatic capitals.',
  'html.global_attributes.autocorrect': 'The mailbox may be corrected; she sees what she sends.',
  'html.global_attributes.autofocus': 'The panel opens scrolled to its first button.',
  'html.elements.video.playsinline': 'Films are played in the page anyway.',
};

/** Names of our own, or of packages, that are names of young features too. */
export const OWN_NAMES: ReadonlySet<string> = new Set(
  `actions address country details dispatch drop element fallback icon maximize path phone postalCode queue
  restore retry revoke role session skipped states subject subscribe to token touched variant`.split(/\s+/),
);
