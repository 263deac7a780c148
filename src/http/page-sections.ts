// Defines the sections of the page that its script fills: headings, controls and empty elements.

import { html } from '../page/html.ts';

export const trafficSection = html`
<section class="script-only card" aria-labelledby="traffic">
<div class="head"><h2 id="traffic">Traffic</h2>
<div class="controls">
<label>Graph <select id="graph"></select></label>
<fieldset class="segments"><legend class="unseen">Range</legend>
<label><input type="radio" name="range" value="" checked><span>24 hours</span></label><label><input type="radio" name="range" value="week"><span>7 days</span></label>
</fieldset></div></div>
<div id="traffic-totals"></div>
<div id="traffic-plots" hidden>
<div class="columns">
<figure id="traffic-bytes"><figcaption>Bytes <span class="per quiet"></span> <span class="readout"></span></figcaption><div class="frame" aria-hidden="true"></div></figure>
<figure id="traffic-requests"><figcaption>Requests <span class="per quiet"></span> <span class="key accent">all</span> <span class="key bad">failed</span> <span class="readout"></span></figcaption><div class="frame" aria-hidden="true"></div></figure>
</div>
<details><summary>Traffic as a table</summary><div id="traffic-table"></div></details>
</div>
</section>`;

export const quotaSection = html`
<section class="script-only card" aria-labelledby="quotas">
<div class="head"><h2 id="quotas">Quotas</h2>
<div class="controls">
<fieldset class="segments"><legend class="unseen">Product type</legend>
<label><input type="radio" name="type" value="" checked><span>Residential</span></label><label><input type="radio" name="type" value="mobile"><span>Mobile</span></label>
</fieldset>
<label>State <select id="state"><option value="">All</option><option value="exhausted">Exhausted</option><option value="soon">Used up soon</option><option value="low">Low</option><option value="ok">OK</option><option value="unlimited">Unlimited</option></select></label>
<label>User <input id="user" type="search" placeholder="complete id" autocomplete="off" spellcheck="false"></label>
</div></div>
<div id="quota-list"></div>
</section>`;

export const balanceSection = html`
<section class="script-only card" aria-labelledby="balance">
<h2 id="balance">Residential data</h2>
<div class="columns"><div id="balance-now"></div>
<div id="balance-history" hidden>
<figure id="balance-plot"><figcaption>Used by day <span class="readout"></span></figcaption><div class="frame" aria-hidden="true"></div></figure>
<details><summary>Ledger by day as a table</summary><div id="balance-days"></div></details>
</div></div>
</section>`;

export const testSection = html`
<section class="script-only card" aria-labelledby="tests">
<h2 id="tests">Proxy tests</h2>
<h3>Faults</h3><div id="faults"></div>
<h3>Proxies</h3><div id="proxies"></div>
<div class="columns"><div><h3>Targets</h3><div id="targets"></div></div><div><h3>Testers</h3><div id="testers"></div></div></div>
</section>`;

export const marketSection = html`
<section class="script-only card" aria-labelledby="market">
<h2 id="market">Services and stock</h2>
<h3>Services</h3><div id="services"></div>
<div class="columns"><div><h3>Orders</h3><div id="quotes"></div></div><div><h3>Stock</h3><div id="products"></div></div></div>
</section>`;
