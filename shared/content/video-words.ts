/** Texts around a video. */
export const videoWords = {
  /** Put before the name of a video, for screen readers only. */
  play: 'Play the video:',
  playsFrom: 'Plays from',
  /** Shown beside a player that may fail to load: blocked, or offline. */
  notPlaying: 'Not playing?',
  watchAt: 'Watch it on',
  inNewTab: 'in a new tab',
} as const;
