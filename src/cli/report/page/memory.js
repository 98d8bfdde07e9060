/* What lived, was taken, reserved and idle over time, and what happened then. */

const LINES = [
	["live", "live: what was asked for", 0],
	["taken", "taken: with what was rounded up", 2],
	["reserved", "reserved from the driver", 1],
	["idle", "idle: reserved, and not taken", 6],
];
const MOMENTS = {failure: "bad", swap: "swap", trim: "faint", mark: "line"};
const MARKS_MOST = 60; /* more lines than that would hide the rest */

function seriesMost(series) {
	return series ? series.v.reduce((most, v) => Math.max(most, v), 0) : 0;
}

function memoryUnit(course) {
	return byteUnit(Math.max(...LINES.map(([name]) =>
		seriesMost(course.series[name]))));
}

/* The last value holds up to the end. */
function toTheEnd(series, figures) {
	return {
		x: [...timesOf(series.t), figures.end]
			.map((t) => t / figures.unit.size),
		v: [...series.v, series.v[series.v.length - 1]],
	};
}

function line(series, name, tint, figures, unit) {
	const {x, v} = toTheEnd(series, figures);
	return {
		type: "scatter", mode: "lines", name: escaped(name),
		x, y: v.map((bytes) => bytes / unit.size), text: v.map(bytesText),
		hovertemplate: "%{text}",
		line: {shape: "hv", width: 1.5, color: tint},
	};
}

function stackTraces(course, kind, figures, unit) {
	return course.stack[kind].map((row) => {
		const {x, v} = toTheEnd({t: course.stack.t, v: row.v}, figures);
		return {
			type: "scatter", mode: "lines", stackgroup: "live",
			name: escaped(shortName(row.name)),
			x, y: v.map((bytes) => bytes / unit.size),
			text: v.map(bytesText), hovertemplate: "%{text}",
			fillcolor: shareColour(row.share),
			line: {shape: "hv", width: 0, color: shareColour(row.share)},
		};
	});
}

function momentLabel(moment) {
	const times = moment.count > 1 ? ` × ${countText(moment.count)}` : "";
	const bytes = moment.bytes ? `, ${bytesText(moment.bytes)}` : "";
	return escaped(`${moment.kind}${times} ${moment.text}`.trim() + bytes);
}

/* Lines across, and what they are, to hover. */
function momentTraces(course, figures, top) {
	return Object.entries(MOMENTS).flatMap(([kind, tint]) => {
		const list = (course.moments || []).filter((m) => m.kind === kind);
		if (!list.length || (kind === "mark" && list.length > MARKS_MOST))
			return [];
		return [{
			type: "scatter", mode: "lines", name: kind,
			x: list.flatMap((m) => Array(3).fill(m.time / figures.unit.size)),
			y: list.flatMap(() => [0, top, null]),
			text: list.flatMap((m) => Array(3).fill(momentLabel(m))),
			hovertemplate: "%{text}<extra></extra>",
			line: {
				width: 1, color: colour(tint),
				dash: kind === "mark" ? "dot" : "solid",
			},
		}];
	});
}

function timeAxis(figures) {
	return axis({
		range: [figures.begin, figures.end].map((t) => t / figures.unit.size),
		ticksuffix: ` ${figures.unit.name}`, showgrid: false,
		hoverformat: ".6~f",
	});
}

function peakNote(device, figures, unit) {
	const left = device.peak_time - figures.begin <
		(figures.end - figures.begin) / 2;
	return {
		x: device.peak_time / figures.unit.size, y: device.peak / unit.size,
		text: `peak ${bytesText(device.peak)}`, showarrow: true,
		arrowcolor: colour("text"), bgcolor: colour("card"), ay: -28, ax: left ? 56 : -56,
		bordercolor: colour("line"), borderpad: 3,
	};
}

function memoryChoices(course) {
	const choices = [["lines", "total"]];
	for (const [kind, name] of [["functions", "by function"],
		["files", "by library"], ["pools", "by pool"]])
		if (course.stack[kind].length > 1)
			choices.push([kind, name]);
	return choices;
}

function drawMemory(course, device, figures, choice) {
	const unit = memoryUnit(course);
	const wanted = choice === "lines" ? LINES
		: LINES.filter(([name]) => name === "reserved");
	const top = 1.12 * Math.max(...LINES.map(([name]) =>
		seriesMost(course.series[name]))) / unit.size;
	const traces = choice === "lines" ? []
		: stackTraces(course, choice, figures, unit);
	for (const [name, title, share] of wanted)
		if (course.series[name])
			traces.push(line(course.series[name], title,
				choice === "lines" ? shareColour(share)
					: colour("text"), figures, unit));
	if (choice === "lines" && traces.length)
		traces[0].fill = "tozeroy";
	traces.push(...momentTraces(course, figures, top));
	return plot("memory", traces, {
		hovermode: "x unified", hoverdistance: -1,
		xaxis: timeAxis(figures),
		uirevision: `device ${device.device}`,
		yaxis: axis({
			ticksuffix: ` ${unit.name}`, range: [0, top], fixedrange: true,
		}),
		annotations: device.peak ? [peakNote(device, figures, unit)] : [],
	});
}

function drawFragmentation(course, device, figures) {
	const whole = course.series.unused ? "reserved" : "taken";
	const rows = [
		["unused", "not in use: (reserved − live) / reserved", 1],
		["rounding", `rounded up: (taken − live) / ${whole}`, 2],
	].filter(([name]) => course.series[name]);
	const traces = rows.map(([name, title, share]) => {
		const {x, v} = toTheEnd(course.series[name], figures);
		return {
			type: "scatter", mode: "lines", name: title,
			x, y: v.map((parts) => parts / 100),
			hovertemplate: "%{y:.1f} %",
			line: {shape: "hv", width: 1.5, color: shareColour(share)},
		};
	});
	return plot("fragmentation", traces, {
		hovermode: "x unified", hoverdistance: -1,
		xaxis: timeAxis(figures), showlegend: true,
		uirevision: `device ${device.device}`,
		yaxis: axis({ticksuffix: " %", rangemode: "tozero", fixedrange: true}),
	}, {displayModeBar: false});
}

/* A zoom of one is a zoom of the other. */
function zoomTogether(places) {
	for (const place of places)
		place.on("plotly_relayout", () => {
			for (const other of places)
				zoomAs(other, place);
		});
}

function zoomAs(place, other) {
	const range = other.layout.xaxis.range;
	if (range.some((end, i) => end !== place.layout.xaxis.range[i]))
		Plotly.relayout(place, {"xaxis.range": [...range]});
}
