/* The whole: which device is shown, and what of it. */

function deviceName(device) {
	return device === "host" ? "pinned memory" : `device ${device}`;
}

function drawTiles(course, device) {
	const tiles = document.getElementById("tiles");
	const tile = (value, name, kind) => tiles.append(element("li",
		kind ? {class: kind} : {}, element("b", {}, value),
		element("span", {}, name)));
	tiles.replaceChildren();
	tile(bytesText(device.peak), "live at most");
	if (course.peak_reserved)
		tile(bytesText(course.peak_reserved), "reserved at most");
	tile(countText(device.requests), "requests");
	if (course.undriven)
		tile(percentText(course.undriven / course.requests),
			"served without the driver");
	if (course.undriven || device.driver)
		tile(countText(device.driver), "times the driver was asked");
	tile(countText(device.failed), "failed", device.failed ? "bad" : "");
}

function aboutText(report) {
	const program = report.program || {};
	const began = program.began
		? new Date(1000 * program.began).toISOString().slice(0, 19)
			.replace("T", " ") + " UTC" : "";
	const pool = program.options && program.options.pool;
	return [program.pid ? `pid ${program.pid}` : "", program.host || "", began,
		pool || "", timeText(report.nanoseconds),
		`${countText(report.events)} events`].filter(Boolean).join(" · ");
}

function drawHead(data) {
	const {report} = data;
	const warnings = [];
	if (data.wrong)
		warnings.push(`What follows is lost: ${data.wrong}`);
	if (report.later)
		warnings.push(`What came before ${timeText(report.begin)} has gone.`);
	if (report.dropped)
		warnings.push(`${countText(report.dropped)} events are missing.`);
	if (report.nowhere)
		warnings.push(`${countText(report.nowhere.failed)} ` +
			(report.nowhere.failed === 1 ? "request" : "requests") +
			" failed before there was a device.");
	const name = (report.program && report.program.program) || "recording";
	document.title = `${name}: mnm report`;
	document.getElementById("title").textContent = name;
	document.getElementById("about").textContent = aboutText(report);
	document.getElementById("footer").textContent =
		`mnm ${data.version} · plotly.js ${Plotly.version}`;
	const warning = document.getElementById("warning");
	warning.hidden = !warnings.length && data.courses.length > 0;
	warning.textContent = data.courses.length ? warnings.join(" ")
		: ["There is no request in this recording.", ...warnings].join(" ");
}

/* Buttons of which one is pressed. */
function choiceMake(place, choices, chosen, choose) {
	place.replaceChildren(...choices.map(([value, name]) => {
		const button = element("button", {
			type: "button", "aria-pressed": String(value === chosen),
		}, name);
		button.addEventListener("click", () => choose(value));
		return button;
	}));
	place.hidden = choices.length < 2;
}

function drawDevice(data, state) {
	const course = data.courses[state.device];
	const device = data.report.devices[state.device];
	const figures = {
		begin: data.begin, end: data.report.nanoseconds,
		unit: timeUnit(data.report.nanoseconds),
	};
	const choices = memoryChoices(course);
	if (!choices.some(([kind]) => kind === state.memory))
		state.memory = choices[Math.min(1, choices.length - 1)][0];
	choiceMake(document.querySelector("#memory .choice"), choices, state.memory,
		(kind) => { state.memory = kind; draw(data, state); });
	drawTiles(course, device);
	const places = [drawMemory(course, device, figures, state.memory),
		drawFragmentation(course, device, figures)].filter(Boolean);
	if (!state.zooms && places.length === 2)
		zoomTogether(places);
	state.zooms = state.zooms || places.length === 2;
	if (places.length === 2)
		zoomAs(places[1], places[0]);
	drawPeak(course, device);
	document.querySelector("#peak h2").textContent =
		`Live at the peak, ${momentText(device.peak_time, figures.end)}`;
	drawCalls(course, device);
	drawSizes(course);
	drawIterations(course, device, data.period);
	drawMap(course);
	drawSlow(course, figures);
	drawFailures(course, device, figures);
}

function draw(data, state) {
	choiceMake(document.getElementById("devices"),
		data.report.devices.map((each, i) => [i, deviceName(each.device)]),
		state.device, (i) => { state.device = i; draw(data, state); });
	if (data.courses.length)
		drawDevice(data, state);
	else
		document.querySelector("main").hidden = true;
}

document.addEventListener("DOMContentLoaded", () => {
	const data = JSON.parse(document.getElementById("figures").textContent);
	const state = {device: 0, memory: ""};
	const again = (paper) => {
		printing = paper;
		document.documentElement.classList.toggle("paper", paper);
		draw(data, state);
		for (const place of document.querySelectorAll(".js-plotly-plot"))
			if (!paper && place.offsetHeight)
				Plotly.Plots.resize(place);
	};
	drawHead(data);
	draw(data, state);
	matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", () => again(false));
	addEventListener("beforeprint", () => again(true));
	addEventListener("afterprint", () => again(false));
});
