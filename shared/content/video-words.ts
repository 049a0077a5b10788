/** The words around a film. */
export const videoWords = {
  /** Before the name of a video; read out, not shown. */
  play: 'Play the video:',
  playsFrom: 'Plays from',
  /** Beside a player that may not come: blocked, or offline. */
  notPlaying: 'Not playing?',
  watchAt: 'Watch it on',
} as const;
