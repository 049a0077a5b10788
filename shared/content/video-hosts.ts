/** The hosts whose players may be framed; the page's Content-Security-Policy allows the same. */
export const videoEmbedHosts = ['www.youtube-nocookie.com', 'www.youtube.com', 'player.vimeo.com'] as const;

/** The video host that an address belongs to, or undefined for a file to be played inline. */
export function findVideoEmbedHost(src: string): string | undefined {
  return videoEmbedHosts.find((host) => src.startsWith(`https://${host}/`));
}
