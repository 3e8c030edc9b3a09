// An upper bound on the probability that a limit of the risk fails at some cut (docs/theory/bounds.md, "The scan").
//
// Usage: game n N w1 w0 < levels. A level is "T K": with errors of cost T or less (T = w1 misses + w0 false
// alarms) the limit is K / N. Both numbers increase. Prints the bound. Names: a and b are the costs of the left and of
// the right end of an arc (in cells of 1 / N), i and j the points in them, l the level. `lost` values are those of
// states in which the limit has failed already, `free` those of the others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
using std::vector;

static const double SPREAD = 4.2, TAIL = 1e-8, OMITTED = 1e-4;

static double log_choose(int n, int k) { return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0); }

static double binomial(int n, int k, double p) {
    if (p <= 0) return k == 0;
    if (p >= 1) return k == n;
    return exp(log_choose(n, k) + k * log(p) + (n - k) * log1p(-p));
}

// The probabilities of 0, 1, ... of n; what is left of the tail is added to the last.
static void row(int n, double p, vector<double>& out) {
    out.clear();
    if (p >= 1) { out.assign(n + 1, 0); out[n] = 1; return; }
    double odds = p / (1 - p), now = pow(1 - p, n), sum = 0;
    for (int x = 0; x <= n; x++) {
        out.push_back(now);
        sum += now;
        if (1 - sum < TAIL) break;
        now *= odds * (n - x) / (x + 1.0);
    }
    out.back() += std::max(0.0, 1 - sum);
}

// The values of a number of points that are likely: all others are taken for the nearest of them.
struct Window {
    int low, high;
    vector<double> weight;
    Window(int n = 0, double p = 0) {
        double mean = n * p, sd = sqrt(std::max(0.0, n * p * (1 - p)));
        low = std::max(0, (int)floor(mean - SPREAD * sd - 3));
        high = std::min(n, (int)ceil(mean + SPREAD * sd + 4));
        weight.assign(high - low + 1, 0);
        for (int x = 0; x <= n; x++) weight[clamp(x) - low] += binomial(n, x, p);
    }
    int clamp(int x) const { return std::min(std::max(x, low), high); }
    int size() const { return high - low + 1; }
};

typedef float Real;
typedef vector<Real> Values;  // i by j
struct Pair { Values free, lost; };

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    int n = atoi(argv[1]), N = atoi(argv[2]), w1 = atoi(argv[3]), w0 = atoi(argv[4]), T, K;
    vector<int> tau, s;  // the errors of a level, and its cells: K - 1
    while (scanf("%d %d", &T, &K) == 2) tau.push_back(T), s.push_back(K - 1);
    int L = s.size(), top = s[L - 1], widest = 1;
    for (int l = 0; l + 1 < L; l++) widest = std::max(widest, s[l + 1] - s[l]);
    double p0 = (double)top / N / w0, cell = 1.0 / N / w1 / (1 - p0), bound = 0;
    int first = 0, last = n;
    double left_out = 0;
    for (; left_out + binomial(n, first, p0) < OMITTED; first++) left_out += binomial(n, first, p0);
    bound += left_out;
    left_out = 0;
    for (; left_out + binomial(n, last, p0) < OMITTED; last--) left_out += binomial(n, last, p0);
    bound += left_out;
    for (int j0 = first; j0 <= last; j0++) {
        int m = n - j0;
        vector<Window> wi, wj;
        for (int a = 0; a <= top; a++) wi.emplace_back(m, a * cell);
        for (int b = 0; b <= top; b++) wj.emplace_back(j0, (double)b / top);
        // kept[a % (widest + 1)][l]: values at a place; grown[l][d]: those d cells to the right, seen from here.
        vector<vector<Pair>> kept(widest + 1, vector<Pair>(L)), grown(L, vector<Pair>(widest + 1));
        vector<vector<Values>> shrinking((size_t)(top + 1) * (widest + 1));
        auto shrink_rows = [&](int b, int d) -> vector<Values>& {
            auto& out = shrinking[(size_t)b * (widest + 1) + d];
            if (out.empty()) {
                vector<double> p;
                for (int j = wj[b].low; j <= wj[b].high; j++) {
                    row(j, (double)d / b, p);
                    while (out.size() < p.size()) out.emplace_back(wj[b].size(), (Real)0);
                    for (size_t y = 0; y < p.size(); y++) out[y][j - wj[b].low] = p[y];
                }
            }
            return out;
        };
        Values padded;
        auto shrink = [&](const Values& in, int ni, int b, int d, Values& out) {
            const Window &from = wj[b], &to = wj[b - d];
            auto& rows = shrink_rows(b, d);
            int width = from.size(), most = rows.size() - 1;
            out.assign((size_t)ni * width, 0);
            padded.resize(width + most);
            for (int i = 0; i < ni; i++) {
                const Real* source = &in[(size_t)i * to.size()];
                for (int x = 0; x < width + most; x++) padded[x] = source[to.clamp(from.low - most + x) - to.low];
                Real* target = &out[(size_t)i * width];
                for (int y = 0; y <= most; y++) {
                    const Real *w = rows[y].data(), *q = &padded[most - y];
                    for (int j = 0; j < width; j++) target[j] += w[j] * q[j];
                }
            }
        };
        vector<vector<double>> step, leap;
        auto grow_rows = [&](int a, int d, vector<vector<double>>& out) {
            out.resize(wi[a].size());
            for (int i = wi[a].low; i <= wi[a].high; i++) row(m - i, d * cell / (1 - a * cell), out[i - wi[a].low]);
        };
        auto grow = [&](const Values& in, int a, int d, int width, const vector<vector<double>>& rows, Values& out) {
            const Window &from = wi[a], &to = wi[a + d];
            out.assign((size_t)from.size() * width, 0);
            for (int i = 0; i < from.size(); i++) {
                Real* target = &out[(size_t)i * width];
                for (size_t x = 0; x < rows[i].size(); x++) {
                    const Real* q = &in[(size_t)(to.clamp(from.low + i + x) - to.low) * width];
                    Real w = rows[i][x];
                    for (int j = 0; j < width; j++) target[j] += w * q[j];
                }
            }
        };
        Values work, other;
        vector<Pair> act(widest + 3);
        double value = 0;
        for (int a = top; a >= 0; a--) {
            int ni = wi[a].size();
            if (a < top) grow_rows(a, 1, step);
            int leapt = 0;
            for (int l = 0; l < L; l++) {
                int b = s[l] - a, D = l > 0 ? s[l] - s[l - 1] : 1, deepest = std::max(D - 1, 1);
                if (b < 0) continue;
                // Every place to the right is now seen from one cell further left.
                for (int d = std::min(deepest, b); d >= 1; d--) {
                    Pair& from = d == 1 ? kept[(a + 1) % (widest + 1)][l] : grown[l][d - 1];
                    int width = wj[b - d].size();
                    Pair out;
                    grow(from.free, a, 1, width, step, out.free);
                    grow(from.lost, a, 1, width, step, out.lost);
                    grown[l][d] = out;
                }
                int nj = wj[b].size(), actions = 0;
                if (b >= 1) {  // flat
                    shrink(grown[l][1].free, ni, b, 1, act[actions].free);
                    shrink(grown[l][1].lost, ni, b, 1, act[actions].lost);
                    actions++;
                }
                if (l + 1 < L && a + s[l + 1] - s[l] <= top) {  // up
                    int d = s[l + 1] - s[l];
                    if (leapt != d) grow_rows(a, d, leap), leapt = d;
                    Pair& from = kept[(a + d) % (widest + 1)][l + 1];
                    grow(from.free, a, d, nj, leap, act[actions].free);
                    grow(from.lost, a, d, nj, leap, act[actions].lost);
                    actions++;
                }
                if (l > 0 && b >= D) {  // down
                    Pair& from = kept[a % (widest + 1)][l - 1];
                    shrink(from.free, ni, b, D, act[actions].free);
                    shrink(from.lost, ni, b, D, act[actions].lost);
                    actions++;
                }
                for (int d = 1; l > 0 && d < D && d <= b; d++) {  // dip below the level, and come back
                    const Window& to = wj[b - d];
                    work = grown[l][d].free;
                    for (int i = 0; i < ni; i++)
                        for (int j = 0; j < to.size(); j++)
                            if (w1 * (wi[a].low + i) + w0 * (to.low + j) <= tau[l - 1])
                                work[(size_t)i * to.size() + j] = grown[l][d].lost[(size_t)i * to.size() + j];
                    shrink(work, ni, b, d, act[actions].free);
                    shrink(grown[l][d].lost, ni, b, d, act[actions].lost);
                    actions++;
                }
                Pair& here = kept[a % (widest + 1)][l];
                here.free.assign((size_t)ni * nj, 0);
                here.lost.assign((size_t)ni * nj, 1);
                const vector<double>&pi = wi[a].weight, &pj = wj[b].weight;
                auto safe_from = [&](int i) {
                    int left = tau[l] - w1 * (wi[a].low + i), last_lost = left < 0 ? -1 : left / w0;
                    return std::min(nj, std::max(0, last_lost + 1 - wj[b].low));
                };
                if (!actions) {
                    for (int i = 0; i < ni; i++)
                        for (int j = 0; j < safe_from(i); j++) here.free[(size_t)i * nj + j] = 1;
                } else {
                    vector<double> mean(actions, 0);
                    for (int t = 0; t < actions; t++)
                        for (int i = 0; i < ni; i++) {
                            const Real *lost = &act[t].lost[(size_t)i * nj], *free_ = &act[t].free[(size_t)i * nj];
                            double sum = 0;
                            int j = 0, safe = safe_from(i);
                            for (; j < safe; j++) sum += pj[j] * lost[j];
                            for (; j < nj; j++) sum += pj[j] * free_[j];
                            mean[t] += pi[i] * sum;
                        }
                    int best = std::max_element(mean.begin(), mean.end()) - mean.begin();
                    // The penalty of any other action: what the best one gains on it in this state, less the mean.
                    // Then every action is worth the same to those who are free, less that mean.
                    here.free = act[best].free;
                    here.lost = act[best].lost;
                    for (int i = 0; i < ni; i++) {
                        size_t o = (size_t)i * nj;
                        int safe = safe_from(i);
                        for (int t = 0; t < actions; t++) {
                            if (t == best) continue;
                            Real gap = mean[best] - mean[t];
                            for (int j = safe; j < nj; j++)
                                here.lost[o + j] = std::max(here.lost[o + j], act[t].lost[o + j] + act[best].free[o + j] - act[t].free[o + j] - gap);
                        }
                        for (int j = 0; j < safe; j++) here.free[o + j] = here.lost[o + j];
                    }
                }
                if (a == 0 && l == L - 1) value = here.free[(size_t)(wi[0].clamp(0) - wi[0].low) * nj + wj[b].clamp(j0) - wj[b].low];
            }
        }
        bound += binomial(n, j0, p0) * value;
    }
    printf("%.6f\n", bound);
}
