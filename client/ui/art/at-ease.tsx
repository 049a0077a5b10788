function Figure() {
  return (
    <>
      {/* Hair behind, neck, then the body in a loose dress. */}
      <path
        className="art-hair"
        d="M214 66C238 62 262 78 262 106 262 122 256 132 248 138H190C180 130 174 116 178 100 182 82 194 70 214 66Z"
      />
      <path className="art-skin" d="M206 128H236V158C236 170 206 170 206 158Z" />
      <path
        className="art-accent"
        d="M206 150C182 156 160 166 154 192 146 226 150 262 150 300H292C292 262 296 226 288 192 282 166 260 156 236 150 232 162 210 162 206 150Z"
      />
      <path
        className="art-skin"
        d="M220 74C240 74 250 90 248 110 246 130 234 144 220 144S195 130 193 110C191 90 201 74 220 74Z"
      />
      <path
        className="art-hair"
        d="M192 112C188 88 202 68 222 68 244 68 254 88 250 112 246 98 238 90 226 84 216 94 200 98 192 112Z"
      />
      <circle className="art-hair" cx="232" cy="60" r="17" />
      <g className="art-stroke-deep">
        <path d="M203 112c4 4 8 4 11 0M228 112c4 4 8 4 11 0M214 129c4 3 8 3 12 0" />
      </g>
    </>
  );
}

function LapAndBowl() {
  return (
    <>
      {/* Crossed legs. */}
      <path
        className="art-deep"
        d="M96 338C84 312 110 292 152 286 196 280 246 280 290 286 332 292 358 312 346 338 336 360 270 364 221 364S106 360 96 338Z"
      />
      <path className="art-skin" d="M258 350c20-8 48-8 58 4 4 8-8 12-22 12h-40c-10 0-8-12 4-16Z" />
      <path className="art-skin" d="M184 350c-20-8-48-8-58 4-4 8 8 12 22 12h40c10 0 8-12-4-16Z" />
      {/* Sleeves and hands around the bowl. */}
      <path
        className="art-accent"
        d="M160 184C138 204 128 246 140 268 150 284 176 284 190 276L186 252C176 254 168 250 168 238Z"
      />
      <path
        className="art-accent"
        d="M282 184C304 204 314 246 302 268 292 284 266 284 252 276L256 252C266 254 274 250 274 238Z"
      />
      <path className="art-stroke-light" d="M172 206c-6 14-8 28-4 40M270 206c6 14 8 28 4 40" />
      <path className="art-glow" d="M178 240H264C264 270 246 286 221 286S178 270 178 240Z" />
      <ellipse className="art-light" cx="221" cy="240" rx="43" ry="8" />
      <path className="art-skin" d="M184 250c10-4 18 4 16 14-2 12-14 16-22 10Z" />
      <path className="art-skin" d="M258 250c-10-4-18 4-16 14 2 12 14 16 22 10Z" />
      <g className="art-stroke-accent">
        <path d="M212 226c-7-9 6-13 0-24M230 226c-7-9 6-13 0-24" className="art-stroke-light" />
      </g>
    </>
  );
}

/** A woman at ease on a cushion, a bowl in her hands, the sun behind her. */
export function AtEase() {
  return (
    <svg viewBox="0 0 440 400" aria-hidden="true">
      <circle className="art-halo" cx="226" cy="178" r="172" />
      <circle className="art-sky" cx="226" cy="178" r="126" />
      <path
        className="art-far"
        d="M20 372C60 330 130 330 176 344 250 330 350 322 424 368 420 384 400 390 380 390H60C40 390 24 384 20 372Z"
      />
      <ellipse className="art-near" cx="221" cy="364" rx="150" ry="24" />
      <ellipse className="art-mid" cx="221" cy="356" rx="150" ry="22" />
      <Figure />
      <LapAndBowl />
      <g className="art-near">
        <path d="M384 378C378 330 386 290 404 258 412 296 408 342 396 378Z" />
        <path d="M392 378C396 340 410 316 432 300 434 334 420 362 402 378Z" />
        <path d="M388 378C380 346 364 326 344 318 346 346 362 368 380 378Z" />
      </g>
    </svg>
  );
}
