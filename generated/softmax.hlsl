// softmax_rows
static const uint3 gl_WorkGroupSize = uint3(128u, 1u, 1u);

ByteAddressBuffer _282 : register(t0, space0);
RWByteAddressBuffer _685 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _220_N : packoffset(c0);
    int _220_X_offset : packoffset(c0.y);
    int _220_X_stride_0 : packoffset(c0.z);
    int _220_Y_offset : packoffset(c0.w);
    int _220_Y_stride_0 : packoffset(c1);
    int _220_Y_stride_1 : packoffset(c1.y);
    uint _220_base_x : packoffset(c1.z);
    uint _220_base_y : packoffset(c1.w);
    uint _220_base_z : packoffset(c2);
};


static uint3 gl_WorkGroupID;
static uint3 gl_LocalInvocationID;
static uint gl_LocalInvocationIndex;
struct SPIRV_Cross_Input
{
    uint3 gl_WorkGroupID : SV_GroupID;
    uint3 gl_LocalInvocationID : SV_GroupThreadID;
    uint gl_LocalInvocationIndex : SV_GroupIndex;
};

groupshared float Largest_rows1[1];
groupshared float parts2[128];
groupshared float Total_rows1[1];
groupshared float parts3[128];

void comp_main()
{
    int _226 = int(gl_WorkGroupID.x + _220_base_x);
    int _230 = int(gl_LocalInvocationIndex);
    bool _232 = _230 < 1;
    if (_232)
    {
        Largest_rows1[0] = asfloat(0xff800000u /* -inf */);
    }
    int _248 = int(gl_LocalInvocationID.x);
    int _258 = -(((-_220_N) + _248) >> 7);
    parts2[_248] = asfloat(0xff800000u /* -inf */);
    float _1530;
    _1530 = parts2[_248];
    for (int _1529 = 0; _1529 < _258; )
    {
        int _296 = ((_220_X_offset + (_226 * _220_X_stride_0)) + _248) + (_1529 * 128);
        int _746 = asint(_1530);
        int _762 = asint(_282.Load<float>(_296 * 4 + 0));
        _1530 = ((((_746 & 2147483647) > 2139095040) ? 2147483647 : (_746 ^ ((_746 >> 31) & 2147483647))) > (((_762 & 2147483647) > 2139095040) ? 2147483647 : (_762 ^ ((_762 >> 31) & 2147483647)))) ? _1530 : _282.Load<float>(_296 * 4 + 0);
        _1529++;
        continue;
    }
    parts2[_248] = _1530;
    GroupMemoryBarrierWithGroupSync();
    bool _316 = _230 < 64;
    if (_316)
    {
        int _322 = _230 + 64;
        int _790 = asint(parts2[_230]);
        int _806 = asint(parts2[_322]);
        parts2[_230] = ((((_790 & 2147483647) > 2139095040) ? 2147483647 : (_790 ^ ((_790 >> 31) & 2147483647))) > (((_806 & 2147483647) > 2139095040) ? 2147483647 : (_806 ^ ((_806 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_322];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _336 = _230 < 32;
    if (_336)
    {
        int _342 = _230 + 32;
        int _834 = asint(parts2[_230]);
        int _850 = asint(parts2[_342]);
        parts2[_230] = ((((_834 & 2147483647) > 2139095040) ? 2147483647 : (_834 ^ ((_834 >> 31) & 2147483647))) > (((_850 & 2147483647) > 2139095040) ? 2147483647 : (_850 ^ ((_850 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_342];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _356 = _230 < 16;
    if (_356)
    {
        int _362 = _230 + 16;
        int _878 = asint(parts2[_230]);
        int _894 = asint(parts2[_362]);
        parts2[_230] = ((((_878 & 2147483647) > 2139095040) ? 2147483647 : (_878 ^ ((_878 >> 31) & 2147483647))) > (((_894 & 2147483647) > 2139095040) ? 2147483647 : (_894 ^ ((_894 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_362];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _376 = _230 < 8;
    if (_376)
    {
        int _382 = _230 + 8;
        int _922 = asint(parts2[_230]);
        int _938 = asint(parts2[_382]);
        parts2[_230] = ((((_922 & 2147483647) > 2139095040) ? 2147483647 : (_922 ^ ((_922 >> 31) & 2147483647))) > (((_938 & 2147483647) > 2139095040) ? 2147483647 : (_938 ^ ((_938 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_382];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _396 = _230 < 4;
    if (_396)
    {
        int _402 = _230 + 4;
        int _966 = asint(parts2[_230]);
        int _982 = asint(parts2[_402]);
        parts2[_230] = ((((_966 & 2147483647) > 2139095040) ? 2147483647 : (_966 ^ ((_966 >> 31) & 2147483647))) > (((_982 & 2147483647) > 2139095040) ? 2147483647 : (_982 ^ ((_982 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_402];
    }
    GroupMemoryBarrierWithGroupSync();
    bool _415 = _230 < 2;
    if (_415)
    {
        int _421 = _230 + 2;
        int _1010 = asint(parts2[_230]);
        int _1026 = asint(parts2[_421]);
        parts2[_230] = ((((_1010 & 2147483647) > 2139095040) ? 2147483647 : (_1010 ^ ((_1010 >> 31) & 2147483647))) > (((_1026 & 2147483647) > 2139095040) ? 2147483647 : (_1026 ^ ((_1026 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_421];
    }
    GroupMemoryBarrierWithGroupSync();
    if (_232)
    {
        int _440 = _230 + 1;
        int _1054 = asint(parts2[_230]);
        int _1070 = asint(parts2[_440]);
        parts2[_230] = ((((_1054 & 2147483647) > 2139095040) ? 2147483647 : (_1054 ^ ((_1054 >> 31) & 2147483647))) > (((_1070 & 2147483647) > 2139095040) ? 2147483647 : (_1070 ^ ((_1070 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_440];
    }
    GroupMemoryBarrierWithGroupSync();
    if (_232)
    {
        int _1098 = asint(Largest_rows1[0]);
        int _1114 = asint(parts2[0]);
        Largest_rows1[0] = ((((_1098 & 2147483647) > 2139095040) ? 2147483647 : (_1098 ^ ((_1098 >> 31) & 2147483647))) > (((_1114 & 2147483647) > 2139095040) ? 2147483647 : (_1114 ^ ((_1114 >> 31) & 2147483647)))) ? Largest_rows1[0] : parts2[0];
    }
    if (_232)
    {
        Total_rows1[0] = 0.0f;
    }
    GroupMemoryBarrierWithGroupSync();
    parts3[_248] = -0.0f;
    float _1532;
    _1532 = parts3[_248];
    for (int _1531 = 0; _1531 < _258; )
    {
        precise float _520 = _282.Load<float>((((_220_X_offset + (_226 * _220_X_stride_0)) + _248) + (_1531 * 128)) * 4 + 0) - Largest_rows1[0];
        float _1132 = (_520 > 89.0f) ? 89.0f : _520;
        float _1136 = (_1132 < (-104.0f)) ? (-104.0f) : _1132;
        precise float _1192 = _1136 * 1.44269502162933349609375f;
        precise float _1194 = _1192 + 12582912.0f;
        precise float _1162 = _1194 - 12582912.0f;
        precise float _1199 = _1162 * (-0.693145751953125f);
        precise float _1201 = _1199 + _1136;
        precise float _1206 = _1162 * (-1.4286067653301870450377464294434e-06f);
        precise float _1208 = _1206 + _1201;
        precise float _1171 = _1208 * _1208;
        precise float _1249 = 0.001395060331560671329498291015625f * _1208;
        precise float _1251 = _1249 + 0.008368953131139278411865234375f;
        precise float _1265 = _1251 * _1208;
        precise float _1267 = _1265 + 0.0416662059724330902099609375f;
        precise float _1281 = _1267 * _1208;
        precise float _1283 = _1281 + 0.16666518151760101318359375f;
        precise float _1297 = _1283 * _1208;
        precise float _1299 = _1297 + 0.5f;
        precise float _1304 = _1171 * _1299;
        precise float _1306 = _1304 + _1208;
        precise float _1176 = 1.0f + _1306;
        uint _1313 = asuint(_1194) - 1262485250u;
        uint _1315 = _1313 >> uint(1);
        precise float _1320 = _1176 * asfloat(_1315 << uint(23));
        precise float _1326 = _1320 * asfloat((_1313 - _1315) << uint(23));
        precise float _523 = _1532 + _1326;
        _1532 = _523;
        _1531++;
        continue;
    }
    parts3[_248] = _1532;
    GroupMemoryBarrierWithGroupSync();
    if (_316)
    {
        precise float _544 = parts3[_230] + parts3[_230 + 64];
        parts3[_230] = _544;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_336)
    {
        precise float _561 = parts3[_230] + parts3[_230 + 32];
        parts3[_230] = _561;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_356)
    {
        precise float _578 = parts3[_230] + parts3[_230 + 16];
        parts3[_230] = _578;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_376)
    {
        precise float _595 = parts3[_230] + parts3[_230 + 8];
        parts3[_230] = _595;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_396)
    {
        precise float _612 = parts3[_230] + parts3[_230 + 4];
        parts3[_230] = _612;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_415)
    {
        precise float _629 = parts3[_230] + parts3[_230 + 2];
        parts3[_230] = _629;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_232)
    {
        precise float _646 = parts3[_230] + parts3[_230 + 1];
        parts3[_230] = _646;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_232)
    {
        precise float _659 = Total_rows1[0] + parts3[0];
        Total_rows1[0] = _659;
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1533 = 0; _1533 < _258; )
    {
        int _696 = _1533 * 128;
        precise float _719 = _282.Load<float>((((_220_X_offset + (_226 * _220_X_stride_0)) + _248) + _696) * 4 + 0) - Largest_rows1[0];
        float _1334 = (_719 > 89.0f) ? 89.0f : _719;
        float _1338 = (_1334 < (-104.0f)) ? (-104.0f) : _1334;
        precise float _1394 = _1338 * 1.44269502162933349609375f;
        precise float _1396 = _1394 + 12582912.0f;
        precise float _1364 = _1396 - 12582912.0f;
        precise float _1401 = _1364 * (-0.693145751953125f);
        precise float _1403 = _1401 + _1338;
        precise float _1408 = _1364 * (-1.4286067653301870450377464294434e-06f);
        precise float _1410 = _1408 + _1403;
        precise float _1373 = _1410 * _1410;
        precise float _1451 = 0.001395060331560671329498291015625f * _1410;
        precise float _1453 = _1451 + 0.008368953131139278411865234375f;
        precise float _1467 = _1453 * _1410;
        precise float _1469 = _1467 + 0.0416662059724330902099609375f;
        precise float _1483 = _1469 * _1410;
        precise float _1485 = _1483 + 0.16666518151760101318359375f;
        precise float _1499 = _1485 * _1410;
        precise float _1501 = _1499 + 0.5f;
        precise float _1506 = _1373 * _1501;
        precise float _1508 = _1506 + _1410;
        precise float _1378 = 1.0f + _1508;
        uint _1515 = asuint(_1396) - 1262485250u;
        uint _1517 = _1515 >> uint(1);
        precise float _1522 = _1378 * asfloat(_1517 << uint(23));
        precise float _1528 = _1522 * asfloat((_1515 - _1517) << uint(23));
        precise float _724 = _1528 / Total_rows1[0];
        _685.Store<float>(((_220_Y_offset + (_226 * _220_Y_stride_0)) + ((_248 + _696) * _220_Y_stride_1)) * 4 + 0, _724);
        _1533++;
        continue;
    }
}

[numthreads(128, 1, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_WorkGroupID = stage_input.gl_WorkGroupID;
    gl_LocalInvocationID = stage_input.gl_LocalInvocationID;
    gl_LocalInvocationIndex = stage_input.gl_LocalInvocationIndex;
    comp_main();
}

// softmax_rows1
static const uint3 gl_WorkGroupSize = uint3(32u, 4u, 1u);

ByteAddressBuffer _315 : register(t0, space0);
RWByteAddressBuffer _893 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _220_M : packoffset(c0);
    int _220_N : packoffset(c0.y);
    int _220_X_offset : packoffset(c0.z);
    int _220_X_stride_0 : packoffset(c0.w);
    int _220_Y_offset : packoffset(c1);
    int _220_Y_stride_0 : packoffset(c1.y);
    int _220_Y_stride_1 : packoffset(c1.z);
    uint _220_base_x : packoffset(c1.w);
    uint _220_base_y : packoffset(c2);
    uint _220_base_z : packoffset(c2.y);
};


static uint3 gl_WorkGroupID;
static uint3 gl_LocalInvocationID;
static uint gl_LocalInvocationIndex;
struct SPIRV_Cross_Input
{
    uint3 gl_WorkGroupID : SV_GroupID;
    uint3 gl_LocalInvocationID : SV_GroupThreadID;
    uint gl_LocalInvocationIndex : SV_GroupIndex;
};

groupshared float Largest_rows[4];
groupshared float parts[128];
groupshared float Total_rows[4];
groupshared float parts1[128];

void comp_main()
{
    int _228 = int(gl_WorkGroupID.x + _220_base_x) * 4;
    int _236 = min(4, (_220_M - _228));
    int _240 = int(gl_LocalInvocationIndex);
    for (int _1655 = _240; _1655 < _236; )
    {
        Largest_rows[_1655] = asfloat(0xff800000u /* -inf */);
        _1655 += 128;
        continue;
    }
    int _266 = int(gl_LocalInvocationID.y);
    int _270 = int(gl_LocalInvocationID.x);
    bool _273 = _266 < _236;
    if (_273)
    {
        int _284 = -(((-_220_N) + _270) >> 5);
        int _293 = (_266 * 32) + _270;
        parts[_293] = asfloat(0xff800000u /* -inf */);
        float _1657;
        _1657 = parts[_293];
        for (int _1656 = 0; _1656 < _284; )
        {
            int _331 = ((_220_X_offset + ((_228 + _266) * _220_X_stride_0)) + _270) + (_1656 * 32);
            int _960 = asint(_1657);
            int _976 = asint(_315.Load<float>(_331 * 4 + 0));
            _1657 = ((((_960 & 2147483647) > 2139095040) ? 2147483647 : (_960 ^ ((_960 >> 31) & 2147483647))) > (((_976 & 2147483647) > 2139095040) ? 2147483647 : (_976 ^ ((_976 >> 31) & 2147483647)))) ? _1657 : _315.Load<float>(_331 * 4 + 0);
            _1656++;
            continue;
        }
        parts[_293] = _1657;
    }
    GroupMemoryBarrierWithGroupSync();
    bool _354 = _240 < 64;
    if (_354)
    {
        int _359 = _240 >> 4;
        if (_359 < _236)
        {
            int _372 = (_359 * 32) + (_240 & 15);
            int _382 = _372 + 16;
            int _1004 = asint(parts[_372]);
            int _1020 = asint(parts[_382]);
            parts[_372] = ((((_1004 & 2147483647) > 2139095040) ? 2147483647 : (_1004 ^ ((_1004 >> 31) & 2147483647))) > (((_1020 & 2147483647) > 2139095040) ? 2147483647 : (_1020 ^ ((_1020 >> 31) & 2147483647)))) ? parts[_372] : parts[_382];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _395 = _240 < 32;
    if (_395)
    {
        int _400 = _240 >> 3;
        if (_400 < _236)
        {
            int _412 = (_400 * 32) + (_240 & 7);
            int _422 = _412 + 8;
            int _1048 = asint(parts[_412]);
            int _1064 = asint(parts[_422]);
            parts[_412] = ((((_1048 & 2147483647) > 2139095040) ? 2147483647 : (_1048 ^ ((_1048 >> 31) & 2147483647))) > (((_1064 & 2147483647) > 2139095040) ? 2147483647 : (_1064 ^ ((_1064 >> 31) & 2147483647)))) ? parts[_412] : parts[_422];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _435 = _240 < 16;
    if (_435)
    {
        int _440 = _240 >> 2;
        if (_440 < _236)
        {
            int _452 = (_440 * 32) + (_240 & 3);
            int _461 = _452 + 4;
            int _1092 = asint(parts[_452]);
            int _1108 = asint(parts[_461]);
            parts[_452] = ((((_1092 & 2147483647) > 2139095040) ? 2147483647 : (_1092 ^ ((_1092 >> 31) & 2147483647))) > (((_1108 & 2147483647) > 2139095040) ? 2147483647 : (_1108 ^ ((_1108 >> 31) & 2147483647)))) ? parts[_452] : parts[_461];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _474 = _240 < 8;
    if (_474)
    {
        int _479 = _240 >> 1;
        if (_479 < _236)
        {
            int _491 = (_479 * 32) + (_240 & 1);
            int _500 = _491 + 2;
            int _1136 = asint(parts[_491]);
            int _1152 = asint(parts[_500]);
            parts[_491] = ((((_1136 & 2147483647) > 2139095040) ? 2147483647 : (_1136 ^ ((_1136 >> 31) & 2147483647))) > (((_1152 & 2147483647) > 2139095040) ? 2147483647 : (_1152 ^ ((_1152 >> 31) & 2147483647)))) ? parts[_491] : parts[_500];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    bool _513 = _240 < 4;
    if (_513)
    {
        if (_240 < _236)
        {
            int _524 = _240 * 32;
            int _532 = _524 + 1;
            int _1180 = asint(parts[_524]);
            int _1196 = asint(parts[_532]);
            parts[_524] = ((((_1180 & 2147483647) > 2139095040) ? 2147483647 : (_1180 ^ ((_1180 >> 31) & 2147483647))) > (((_1196 & 2147483647) > 2139095040) ? 2147483647 : (_1196 ^ ((_1196 >> 31) & 2147483647)))) ? parts[_524] : parts[_532];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1658 = _240; _1658 < _236; )
    {
        int _555 = _1658 * 32;
        int _1224 = asint(Largest_rows[_1658]);
        int _1240 = asint(parts[_555]);
        Largest_rows[_1658] = ((((_1224 & 2147483647) > 2139095040) ? 2147483647 : (_1224 ^ ((_1224 >> 31) & 2147483647))) > (((_1240 & 2147483647) > 2139095040) ? 2147483647 : (_1240 ^ ((_1240 >> 31) & 2147483647)))) ? Largest_rows[_1658] : parts[_555];
        _1658 += 128;
        continue;
    }
    for (int _1659 = _240; _1659 < _236; )
    {
        Total_rows[_1659] = 0.0f;
        _1659 += 128;
        continue;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_273)
    {
        int _603 = -(((-_220_N) + _270) >> 5);
        int _608 = (_266 * 32) + _270;
        parts1[_608] = -0.0f;
        float _1661;
        _1661 = parts1[_608];
        for (int _1660 = 0; _1660 < _603; )
        {
            precise float _647 = _315.Load<float>((((_220_X_offset + ((_228 + _266) * _220_X_stride_0)) + _270) + (_1660 * 32)) * 4 + 0) - Largest_rows[_266];
            float _1258 = (_647 > 89.0f) ? 89.0f : _647;
            float _1262 = (_1258 < (-104.0f)) ? (-104.0f) : _1258;
            precise float _1318 = _1262 * 1.44269502162933349609375f;
            precise float _1320 = _1318 + 12582912.0f;
            precise float _1288 = _1320 - 12582912.0f;
            precise float _1325 = _1288 * (-0.693145751953125f);
            precise float _1327 = _1325 + _1262;
            precise float _1332 = _1288 * (-1.4286067653301870450377464294434e-06f);
            precise float _1334 = _1332 + _1327;
            precise float _1297 = _1334 * _1334;
            precise float _1375 = 0.001395060331560671329498291015625f * _1334;
            precise float _1377 = _1375 + 0.008368953131139278411865234375f;
            precise float _1391 = _1377 * _1334;
            precise float _1393 = _1391 + 0.0416662059724330902099609375f;
            precise float _1407 = _1393 * _1334;
            precise float _1409 = _1407 + 0.16666518151760101318359375f;
            precise float _1423 = _1409 * _1334;
            precise float _1425 = _1423 + 0.5f;
            precise float _1430 = _1297 * _1425;
            precise float _1432 = _1430 + _1334;
            precise float _1302 = 1.0f + _1432;
            uint _1439 = asuint(_1320) - 1262485250u;
            uint _1441 = _1439 >> uint(1);
            precise float _1446 = _1302 * asfloat(_1441 << uint(23));
            precise float _1452 = _1446 * asfloat((_1439 - _1441) << uint(23));
            precise float _650 = _1661 + _1452;
            _1661 = _650;
            _1660++;
            continue;
        }
        parts1[_608] = _1661;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_354)
    {
        int _668 = _240 >> 4;
        if (_668 < _236)
        {
            int _680 = (_668 * 32) + (_240 & 15);
            precise float _694 = parts1[_680] + parts1[_680 + 16];
            parts1[_680] = _694;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_395)
    {
        int _705 = _240 >> 3;
        if (_705 < _236)
        {
            int _717 = (_705 * 32) + (_240 & 7);
            precise float _731 = parts1[_717] + parts1[_717 + 8];
            parts1[_717] = _731;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_435)
    {
        int _742 = _240 >> 2;
        if (_742 < _236)
        {
            int _754 = (_742 * 32) + (_240 & 3);
            precise float _768 = parts1[_754] + parts1[_754 + 4];
            parts1[_754] = _768;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_474)
    {
        int _779 = _240 >> 1;
        if (_779 < _236)
        {
            int _791 = (_779 * 32) + (_240 & 1);
            precise float _805 = parts1[_791] + parts1[_791 + 2];
            parts1[_791] = _805;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (_513)
    {
        if (_240 < _236)
        {
            int _822 = _240 * 32;
            precise float _835 = parts1[_822] + parts1[_822 + 1];
            parts1[_822] = _835;
        }
    }
    GroupMemoryBarrierWithGroupSync();
    for (int _1662 = _240; _1662 < _236; )
    {
        precise float _856 = Total_rows[_1662] + parts1[_1662 * 32];
        Total_rows[_1662] = _856;
        _1662 += 128;
        continue;
    }
    GroupMemoryBarrierWithGroupSync();
    if (_273)
    {
        int _880 = -(((-_220_N) + _270) >> 5);
        for (int _1663 = 0; _1663 < _880; )
        {
            int _898 = _228 + _266;
            int _905 = _1663 * 32;
            precise float _931 = _315.Load<float>((((_220_X_offset + (_898 * _220_X_stride_0)) + _270) + _905) * 4 + 0) - Largest_rows[_266];
            float _1460 = (_931 > 89.0f) ? 89.0f : _931;
            float _1464 = (_1460 < (-104.0f)) ? (-104.0f) : _1460;
            precise float _1520 = _1464 * 1.44269502162933349609375f;
            precise float _1522 = _1520 + 12582912.0f;
            precise float _1490 = _1522 - 12582912.0f;
            precise float _1527 = _1490 * (-0.693145751953125f);
            precise float _1529 = _1527 + _1464;
            precise float _1534 = _1490 * (-1.4286067653301870450377464294434e-06f);
            precise float _1536 = _1534 + _1529;
            precise float _1499 = _1536 * _1536;
            precise float _1577 = 0.001395060331560671329498291015625f * _1536;
            precise float _1579 = _1577 + 0.008368953131139278411865234375f;
            precise float _1593 = _1579 * _1536;
            precise float _1595 = _1593 + 0.0416662059724330902099609375f;
            precise float _1609 = _1595 * _1536;
            precise float _1611 = _1609 + 0.16666518151760101318359375f;
            precise float _1625 = _1611 * _1536;
            precise float _1627 = _1625 + 0.5f;
            precise float _1632 = _1499 * _1627;
            precise float _1634 = _1632 + _1536;
            precise float _1504 = 1.0f + _1634;
            uint _1641 = asuint(_1522) - 1262485250u;
            uint _1643 = _1641 >> uint(1);
            precise float _1648 = _1504 * asfloat(_1643 << uint(23));
            precise float _1654 = _1648 * asfloat((_1641 - _1643) << uint(23));
            precise float _937 = _1654 / Total_rows[_266];
            _893.Store<float>(((_220_Y_offset + (_898 * _220_Y_stride_0)) + ((_270 + _905) * _220_Y_stride_1)) * 4 + 0, _937);
            _1663++;
            continue;
        }
    }
}

[numthreads(32, 4, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_WorkGroupID = stage_input.gl_WorkGroupID;
    gl_LocalInvocationID = stage_input.gl_LocalInvocationID;
    gl_LocalInvocationIndex = stage_input.gl_LocalInvocationIndex;
    comp_main();
}

// softmax_grid
#ifndef SPIRV_CROSS_CONSTANT_ID_0
#define SPIRV_CROSS_CONSTANT_ID_0 128u
#endif
static const uint _225 = SPIRV_CROSS_CONSTANT_ID_0;
static const uint3 gl_WorkGroupSize = uint3(_225, 1u, 1u);

ByteAddressBuffer _258 : register(t0, space0);
RWByteAddressBuffer _334 : register(u1, space0);
cbuffer Push : register(b0, space0)
{
    int _220_M : packoffset(c0);
    int _220_N : packoffset(c0.y);
    int _220_X_offset : packoffset(c0.z);
    int _220_X_stride_0 : packoffset(c0.w);
    int _220_X_stride_1 : packoffset(c1);
    int _220_Y_offset : packoffset(c1.y);
    int _220_Y_stride_0 : packoffset(c1.z);
    int _220_Y_stride_1 : packoffset(c1.w);
    uint _220_base_x : packoffset(c2);
    uint _220_base_y : packoffset(c2.y);
    uint _220_base_z : packoffset(c2.z);
};


static uint3 gl_GlobalInvocationID;
struct SPIRV_Cross_Input
{
    uint3 gl_GlobalInvocationID : SV_DispatchThreadID;
};

void comp_main()
{
    int _231 = int(gl_GlobalInvocationID.x + (_220_base_x * gl_WorkGroupSize.x));
    if (_231 < _220_M)
    {
        float _822;
        _822 = asfloat(0xff800000u /* -inf */);
        for (int _821 = 0; _821 < _220_N; )
        {
            int _273 = (_220_X_offset + (_231 * _220_X_stride_0)) + (_821 * _220_X_stride_1);
            int _390 = asint(_822);
            int _406 = asint(_258.Load<float>(_273 * 4 + 0));
            _822 = ((((_390 & 2147483647) > 2139095040) ? 2147483647 : (_390 ^ ((_390 >> 31) & 2147483647))) > (((_406 & 2147483647) > 2139095040) ? 2147483647 : (_406 ^ ((_406 >> 31) & 2147483647)))) ? _822 : _258.Load<float>(_273 * 4 + 0);
            _821++;
            continue;
        }
        float _824;
        _824 = 0.0f;
        for (int _823 = 0; _823 < _220_N; )
        {
            precise float _314 = _258.Load<float>(((_220_X_offset + (_231 * _220_X_stride_0)) + (_823 * _220_X_stride_1)) * 4 + 0) - _822;
            float _424 = (_314 > 89.0f) ? 89.0f : _314;
            float _428 = (_424 < (-104.0f)) ? (-104.0f) : _424;
            precise float _484 = _428 * 1.44269502162933349609375f;
            precise float _486 = _484 + 12582912.0f;
            precise float _454 = _486 - 12582912.0f;
            precise float _491 = _454 * (-0.693145751953125f);
            precise float _493 = _491 + _428;
            precise float _498 = _454 * (-1.4286067653301870450377464294434e-06f);
            precise float _500 = _498 + _493;
            precise float _463 = _500 * _500;
            precise float _541 = 0.001395060331560671329498291015625f * _500;
            precise float _543 = _541 + 0.008368953131139278411865234375f;
            precise float _557 = _543 * _500;
            precise float _559 = _557 + 0.0416662059724330902099609375f;
            precise float _573 = _559 * _500;
            precise float _575 = _573 + 0.16666518151760101318359375f;
            precise float _589 = _575 * _500;
            precise float _591 = _589 + 0.5f;
            precise float _596 = _463 * _591;
            precise float _598 = _596 + _500;
            precise float _468 = 1.0f + _598;
            uint _605 = asuint(_486) - 1262485250u;
            uint _607 = _605 >> uint(1);
            precise float _612 = _468 * asfloat(_607 << uint(23));
            precise float _618 = _612 * asfloat((_605 - _607) << uint(23));
            precise float _317 = _824 + _618;
            _824 = _317;
            _823++;
            continue;
        }
        for (int _825 = 0; _825 < _220_N; )
        {
            precise float _365 = _258.Load<float>(((_220_X_offset + (_231 * _220_X_stride_0)) + (_825 * _220_X_stride_1)) * 4 + 0) - _822;
            float _626 = (_365 > 89.0f) ? 89.0f : _365;
            float _630 = (_626 < (-104.0f)) ? (-104.0f) : _626;
            precise float _686 = _630 * 1.44269502162933349609375f;
            precise float _688 = _686 + 12582912.0f;
            precise float _656 = _688 - 12582912.0f;
            precise float _693 = _656 * (-0.693145751953125f);
            precise float _695 = _693 + _630;
            precise float _700 = _656 * (-1.4286067653301870450377464294434e-06f);
            precise float _702 = _700 + _695;
            precise float _665 = _702 * _702;
            precise float _743 = 0.001395060331560671329498291015625f * _702;
            precise float _745 = _743 + 0.008368953131139278411865234375f;
            precise float _759 = _745 * _702;
            precise float _761 = _759 + 0.0416662059724330902099609375f;
            precise float _775 = _761 * _702;
            precise float _777 = _775 + 0.16666518151760101318359375f;
            precise float _791 = _777 * _702;
            precise float _793 = _791 + 0.5f;
            precise float _798 = _665 * _793;
            precise float _800 = _798 + _702;
            precise float _670 = 1.0f + _800;
            uint _807 = asuint(_688) - 1262485250u;
            uint _809 = _807 >> uint(1);
            precise float _814 = _670 * asfloat(_809 << uint(23));
            precise float _820 = _814 * asfloat((_807 - _809) << uint(23));
            precise float _369 = _820 / _824;
            _334.Store<float>(((_220_Y_offset + (_231 * _220_Y_stride_0)) + (_825 * _220_Y_stride_1)) * 4 + 0, _369);
            _825++;
            continue;
        }
    }
}

[numthreads(SPIRV_CROSS_CONSTANT_ID_0, 1, 1)]
void main(SPIRV_Cross_Input stage_input)
{
    gl_GlobalInvocationID = stage_input.gl_GlobalInvocationID;
    comp_main();
}
