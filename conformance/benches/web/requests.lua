-- wrk: sends the requests of a file in turn, each with its connection's next one, and prints what came of them on one line:
-- requests per second, p50 and p99 in us, how many there were, and how many failed.

local requests, at = {}, 0

function init(arguments)
    for line in io.lines(arguments[1]) do
        local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
        local headers = {}
        if body == "" then body = nil else headers["Content-Type"] = "application/json" end
        requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("result %.1f %d %d %d %d\n", summary.requests / summary.duration * 1e6,
        latency:percentile(50), latency:percentile(99), summary.requests, failed))
end
